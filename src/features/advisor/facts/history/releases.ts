import { maxSubject } from './past.ts';

const versionNumber = /\bv?\d+\.\d+(?:\.\d+)?[\w.+-]*/u;
const releaseWord = /\b(?:releas|prepar|announc|publish)\w*/iu;
const onlyVersion = /^\s*v?\d+\.\d[\w.+-]*(?:\s*\(#\d+\))?\s*$/u;
const bumpsVersion = /^(?:\w+: )?(?:(?:bump|set|update|start)\b.{0,30}\b)?version\b(?! of\b)/iu;
const ofDependency = /\bfrom\b.{1,40}\bto\b|\bdep(?:s|endenc\w*)\b|\bsupport\b/iu;

/** Returns whether a subject is that of a commit that makes a release. */
export function isRelease(text: string): boolean {
  const subject = text.slice(0, maxSubject);
  if (ofDependency.test(subject)) return false;
  if (onlyVersion.test(subject) || bumpsVersion.test(subject)) return true;
  return versionNumber.test(subject) && releaseWord.test(subject);
}
