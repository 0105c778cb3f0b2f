import { useEffect, useRef } from "react";

import type { EditorHandle } from "@/features/manifests/code-mirror";
import { createEditor } from "@/features/manifests/code-mirror";
import classes from "@/features/manifests/source-editor.module.css";
import type { Problem } from "@/shared/api/api-error";

interface Props {
  source: string;
  problems: readonly Problem[];
  readOnly?: boolean;
  onChange?: (source: string) => void;
  goTo?: Problem | null;
}

/** YAML with line numbers and colours; problems are underlined and marked at the margin. */
export default function SourceEditor({ source, problems, readOnly = false, onChange, goTo = null }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorHandle>(null);
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (place.current === null) return;
    const created = createEditor(place.current, readOnly, (text) => report.current?.(text));
    editor.current = created;
    return () => created.destroy();
  }, [readOnly]);
  useEffect(() => editor.current?.setText(source), [source]);
  useEffect(() => editor.current?.setProblems(problems), [problems, source]);
  useEffect(() => {
    if (goTo?.line != null) editor.current?.goTo(goTo.line, goTo.column ?? 1);
  }, [goTo]);
  return <div ref={place} className={`panel ${classes.editor}`} />;
}
