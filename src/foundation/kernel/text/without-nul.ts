/** Replaces each NUL, which databases cannot store, with U+FFFD. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
