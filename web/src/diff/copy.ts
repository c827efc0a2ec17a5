// Copying rows: the text as it stands there, without numbers and signs of ours.

/** The selected part of the code cells in this box, a line for each; null if none is selected. */
export function selectedText(box: HTMLElement, selection: Selection | null): string | null {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const lines: string[] = [];
  for (const cell of box.querySelectorAll("[data-code]")) {
    if (!range.intersectsNode(cell)) continue;
    const part = document.createRange();
    part.selectNodeContents(cell);
    if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0) part.setStart(range.startContainer, range.startOffset);
    if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset);
    lines.push(part.toString());
  }
  return lines.length === 0 ? null : lines.join("\n");
}
