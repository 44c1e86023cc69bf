/** The kind of commit that is looked for: the first of something, one that mends it, or any change of it. */
export type Purpose = 'first' | 'fix' | 'change';

/** Commits that only format, type, move or document code, and those of releases. */
const mechanical =
  /\b(?:black|lint(?:er|ing|s)?|fmt|gofmt|gofumpt|prettier|ruff|isort|flake8|pyupgrade|reformat\w*|format(?:ting)?|typing|type (?:hints?|annotations?)|annotations?|mypy|white ?space|indent\w*|typos?|spelling|license header|(?:code|coding) style|code ?sniffer|copyright)\b|\b(?:move|rename)s?\b[^:]{0,40}\bfiles?\b|^(?:style|chore|ci|build|typo)\b[^:]{0,30}:/iu;
const release =
  /^(?:release|version|bump|v?\d+\.\d+)\b|^(?:docs?|test|changelog)\b[^:]{0,30}:|\b(?:changelog|release notes|documentation|docs|readme|tests?|specs?|rubocop|codeclimate)\b|^(?:update|prepare)\b.{0,20}\bhistory\b/iu;
const verbs: Readonly<Record<Purpose, RegExp | undefined>> = {
  first:
    /\b(?:add(?:s|ed|ing)?|introduc\w+|implement\w*|support\w*|new|creat\w+|allow\w*|initial|expos\w+|enabl\w+|provid\w+|feat)\b/iu,
  fix: /\b(?:fix(?:e[sd])?|resolv\w+|prevent\w*|correct\w*|avoid\w*|handl\w+|patch\w*|security|bug)\b/iu,
  change: undefined,
};
/** Words for the same change. */
const changes: readonly RegExp[] = [
  /\b(?:remov|drop|delet|disappear|vanish)\w*|\bgo(?:es)? away\b|\bwent away\b|\bno longer\b/iu,
  /\bdeprecat\w*/iu,
  /\brenam\w*/iu,
  /\b(?:replac|switch|migrat)\w*/iu,
  /\brevert\w*/iu,
];
const factors = { mechanical: 0.5, release: 0.5, verb: 1.25 } as const;

/** Returns whether a commit only formats, types or moves code, and the question is not about that. */
export function isMechanical(subject: string, asked: string): boolean {
  return mechanical.test(subject) && !mechanical.test(asked);
}

/** Returns how well the subject of a commit suits what is looked for, as a factor. */
export function factorOf(subject: string, purpose: Purpose, asked: string): number {
  const wanted = verbs[purpose] ?? changes.find((verbOf) => verbOf.test(asked));
  const verb = wanted?.test(subject) === true ? factors.verb : 1;
  const plain = isMechanical(subject, asked) ? factors.mechanical : 1;
  const isOther = release.test(subject) && !release.test(asked);
  return verb * plain * (isOther ? factors.release : 1);
}
