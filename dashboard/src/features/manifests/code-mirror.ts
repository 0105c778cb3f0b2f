import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Diagnostic } from "@codemirror/lint";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import type { Problem } from "@/shared/api/api-error";
import { styleNonce } from "@/shared/theme/nonce";

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--kind-automated)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--status-person)" },
  { tag: tags.comment, color: "var(--text-dim)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator], color: "var(--text-dim)" },
]);

const LOOK = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-content": { fontFamily: "var(--mantine-font-family-monospace)", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface-sunken)", color: "var(--text-dim)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface-hover)" },
  "&.cm-focused": { outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
  // The editor's own marks are data: images, which the content security policy refuses.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--status-failed)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--status-person)" },
  ".cm-lint-marker": { content: "none", borderRadius: "50%", width: "0.75em", height: "0.75em", margin: "0.25em 0" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--status-failed)" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--status-person)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--surface-selected)",
  },
});

export interface EditorHandle {
  setText: (text: string) => void;
  setProblems: (problems: readonly Problem[]) => void;
  goTo: (line: number, column: number) => void;
  destroy: () => void;
}

export function createEditor(parent: HTMLElement, readOnly: boolean, onChange: (text: string) => void): EditorHandle {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(styleNonce()),
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(COLOURS),
        LOOK,
        keymap.of([...defaultKeymap, ...historyKeymap, ...(readOnly ? [] : [indentWithTab])]),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({ "aria-label": "Manifest" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText: (text) => {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setProblems: (problems) => view.dispatch(setDiagnostics(view.state, problems.flatMap((one) => toDiagnostic(view, one)))),
    goTo: (line, column) => {
      const at = offsetOf(view, line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function offsetOf(view: EditorView, line: number, column: number): number {
  const { from, length } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  return from + Math.min(Math.max(column - 1, 0), length);
}

function toDiagnostic(view: EditorView, problem: Problem): Diagnostic[] {
  if (problem.line == null) return [];
  const from = offsetOf(view, problem.line, problem.column ?? 1);
  const { to } = view.state.doc.lineAt(from);
  const hint = problem.hint == null ? "" : `\n${problem.hint}`;
  return [{ from, to: Math.max(to, from), severity: problem.severity ?? "error", message: `${problem.message ?? problem.rule}${hint}` }];
}
