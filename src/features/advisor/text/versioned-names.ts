/** Matches names with a version in code and text, such as `HTTP/2` and the end of `startHttp2`. */
const inText = /(?:[A-Z]{2,10}|[A-Z]?[a-z]{2,9})\/?\d(?:\.\d)?(?![\da-z/])/gu;
const inQuestion = /(?<![\w/.])(?:[A-Z][A-Za-z]{1,9}|http)\/\d(?:\.\d)?(?![\w/])/gu;

/** Returns the form in which code writes a name with a version: `http2`. */
export function condensed(name: string): string {
  return name.replace('/', '').toLowerCase();
}

/** Returns the names with a version that a question writes with a slash: `HTTP/2`. */
export function versionsIn(question: string): readonly string[] {
  return [...new Set(question.match(inQuestion) ?? [])];
}

/** Returns all names with a version of a text in the form of code. */
export function condensedVersions(text: string): readonly string[] {
  return (text.match(inText) ?? []).map(condensed);
}
