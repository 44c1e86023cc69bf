/**
 * Text from elsewhere (source code, a server's message) made safe for a terminal: without the control characters that
 * move the cursor, set titles or recolour, and without the marks that reorder lines (CVE-2021-42574).
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, '');
}

const unsafe = /[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
