// The scope picker: what an answer is remembered for, spelled out before it is given.

import { useEffect, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { visibleWord } from "../diff/hidden.js";
import { get, wordsOf } from "../state/http.js";
import type { Covered, Pending, WiderAnswers } from "../state/wire.js";
import { FIRST_WISH, isWhole, lastsIn } from "./remember.js";
import type { Lasts, Wish } from "./remember.js";
import { strings } from "./strings.js";
import { pathOf } from "./useQuestion.js";

interface Props {
  readonly pending: Pending;
  /** What it may be remembered for; "asked" is what the question itself offers. */
  readonly wider: "asked" | readonly Covered[];
  /** Why it cannot be approved just now; null if it can. */
  readonly hint: string | null;
  readonly busy: boolean;
  readonly onApprove: (wish: Wish) => void;
  readonly onReject: ((wish: Wish) => void) | undefined;
  readonly onCancel: () => void;
}

const text = strings.remember;

export function RememberPanel({ pending, wider, hint, busy, onApprove, onReject, onCancel }: Props): ReactNode {
  const { id, call } = pending;
  const [wish, setWish] = useState(FIRST_WISH);
  const asked = useOffers(id, wider === "asked");
  const { offers, problem } = wider === "asked" ? asked : { offers: wider, problem: null };
  const change = (some: Partial<Wish>): void => setWish((before) => ({ ...before, ...some }));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    onCancel();
    event.preventDefault();
    event.stopPropagation();
  };
  const offer = offers?.find((each) => each.name === wish.covers);
  const pattern = offer === undefined ? "" : patternOf(offer);
  const lasts = visibleWord(lastsIn(wish, call.agents));
  return (
    <section className="q-panel" aria-label={text.label} onKeyDown={onKeyDown}>
      {problem !== null && <p className="note note-danger">{visibleWord(problem)}</p>}
      {offers === null && problem === null && <p className="muted">{strings.loading}</p>}
      {offers !== null && (
        <>
          <fieldset className="q-wider">
            <legend>{text.what}</legend>
            {offers.map((each) => (
              <Offer key={each.index} offer={each} chosen={each.name === wish.covers} onChoose={() => change({ covers: each.name })} />
            ))}
          </fieldset>
          <div className="q-columns">
            <Length wish={wish} onChange={change} />
            {call.agents.length > 0 && (
              <fieldset>
                <legend>{text.whom}</legend>
                <Radio name="whom" checked={!wish.everyAgent} onChange={() => change({ everyAgent: false })}>
                  {text.onlyAgents(visibleWord(call.agents.join(" › ")))}
                </Radio>
                <Radio name="whom" checked={wish.everyAgent} onChange={() => change({ everyAgent: true })}>
                  {text.everyAgent}
                </Radio>
              </fieldset>
            )}
          </div>
          <p className="q-grant mono" role="status">
            {isWhole(wish) ? text.allow(pattern, lasts) : text.bad}
          </p>
          <p className="muted">{text.deny}</p>
        </>
      )}
      <div className="q-buttons">
        <button
          type="button"
          className="button button-primary"
          disabled={busy || hint !== null || offer === undefined || !isWhole(wish)}
          onClick={() => onApprove(wish)}
        >
          {text.approve}
        </button>
        {onReject !== undefined && (
          <button
            type="button"
            className="button button-danger"
            title={wish.lasts === "calls" ? text.noCalls : text.refuse(pattern, lasts)}
            disabled={busy || offer === undefined || !isWhole(wish) || wish.lasts === "calls"}
            onClick={() => onReject(wish)}
          >
            {text.reject}
          </button>
        )}
        <button type="button" className="button button-quiet" onClick={onCancel}>
          {strings.actions.cancel}
        </button>
        <span className="muted q-hint">{hint ?? (wish.lasts === "calls" && onReject !== undefined ? text.noCalls : "")}</span>
      </div>
    </section>
  );
}

function patternOf(offer: Covered): string {
  return visibleWord(offer.pattern === "" ? offer.label : offer.pattern);
}

function Offer({ offer, chosen, onChoose }: { readonly offer: Covered; readonly chosen: boolean; readonly onChoose: () => void }): ReactNode {
  const { of, matches, examples } = offer.would_also;
  return (
    <div className="q-offer">
      <Radio name="covers" checked={chosen} onChange={onChoose}>
        <span className="mono q-pattern">{patternOf(offer)}</span>
        {offer.pattern !== "" && <span className="muted"> {visibleWord(offer.label)}</span>}
      </Radio>
      {of > 0 && (
        <details className="q-would">
          <summary>{text.would(matches, of)}</summary>
          <ul className="mono">
            {examples.map((each) => (
              <li key={each}>{visibleWord(each)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Length({ wish, onChange }: { readonly wish: Wish; readonly onChange: (some: Partial<Wish>) => void }): ReactNode {
  const radio = (lasts: Lasts, label: string): ReactNode => (
    <Radio name="lasts" checked={wish.lasts === lasts} onChange={() => onChange({ lasts })}>
      {label}
    </Radio>
  );
  const field = (name: "minutes" | "calls", label: string): ReactNode => (
    <input
      type="number"
      className="field q-number"
      min={1}
      step={1}
      aria-label={label}
      value={Number.isNaN(wish[name]) ? "" : wish[name]}
      onChange={(event) => onChange({ lasts: name, [name]: event.target.valueAsNumber })}
    />
  );
  return (
    <fieldset>
      <legend>{text.long}</legend>
      {radio("session", text.session)}
      <div className="q-bounded">
        {radio("minutes", text.minutes)}
        {field("minutes", text.minutesField)}
      </div>
      <div className="q-bounded">
        {radio("calls", text.calls)}
        {field("calls", text.callsField)}
      </div>
      {radio("always", text.always)}
    </fieldset>
  );
}

interface RadioProps {
  readonly name: string;
  readonly checked: boolean;
  readonly onChange: () => void;
  readonly children: ReactNode;
}

function Radio({ name, checked, onChange, children }: RadioProps): ReactNode {
  return (
    <label className="check">
      <input type="radio" name={name} checked={checked} onChange={onChange} />
      <span>{children}</span>
    </label>
  );
}

function useOffers(id: string, isWanted: boolean): { readonly offers: readonly Covered[] | null; readonly problem: string | null } {
  const [state, setState] = useState<{ offers: readonly Covered[] | null; problem: string | null }>({ offers: null, problem: null });
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    get<WiderAnswers>(pathOf(id, "/wider")).then(
      ({ wider }) => isOver || setState({ offers: wider, problem: null }),
      (error: unknown) => isOver || setState({ offers: null, problem: wordsOf(error) }),
    );
    return () => {
      isOver = true;
    };
  }, [id, isWanted]);
  return state;
}
