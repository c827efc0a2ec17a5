// The files of a change; one click goes to its place.

import type { ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import type { FileEntry } from "./files.js";
import { strings } from "./strings.js";

export function FileList({ files, onGo }: { readonly files: readonly FileEntry[]; readonly onGo: (row: number) => void }): ReactNode {
  return (
    <nav className="q-files" aria-label={strings.files.label}>
      <p className="q-files-count">{strings.files.count(files.length)}</p>
      <ul>
        {files.map((file) => (
          <li key={file.path}>
            <button type="button" onClick={() => onGo(file.row)} title={visibleWord(file.path)}>
              <bdi className="q-file-name">{visibleWord(file.path)}</bdi>
              {file.state !== "changed" && (
                <span className={`badge badge-${file.state === "added" ? "ok" : "danger"}`}>{strings.files[file.state]}</span>
              )}
              <span className="q-size tabular mono">
                <span className="q-added">+{file.added}</span> <span className="q-removed">−{file.removed}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
