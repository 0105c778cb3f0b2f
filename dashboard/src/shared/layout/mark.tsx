/** Three lines of different length: a tercet. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} fill="none" strokeLinecap="round" strokeWidth="4" aria-hidden>
      <rect width="32" height="32" rx="8" fill="#1f2a44" />
      <path d="M8 10h16" stroke="#a78bfa" />
      <path d="M8 16h11" stroke="#fbbf24" />
      <path d="M8 22h14" stroke="#38bdf8" />
    </svg>
  );
}
