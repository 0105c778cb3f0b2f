/** Hands a file to the browser's downloads. */
export function saveAs(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name.replaceAll(/[\\/:*?"<>|]+/g, " ").slice(0, 120);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
