import type { Purpose } from '../../question/asked-change.ts';

/** Commits that only format, type, move or document code, and those of releases. */
const mechanical =
  /\b(?:black|lint(?:er|ing|s)?|fmt|gofmt|gofumpt|prettier|ruff|isort|flake8|pyupgrade|reformat\w*|format(?:ting)?|typing|type (?:hints?|annotations?)|annotations?|mypy|white ?space|indent\w*|typos?|spelling|grammar|wording|nits?|license header|(?:code|coding) style|code ?sniffer|copyright)\b|\b(?:move|rename)s?\b[^:]{0,40}\bfiles?\b|^(?:style|chore|ci|build|typo)\b[^:]{0,30}:/iu;
const release =
  /^(?:release|version|bump|v?\d+\.\d+)\b|^(?:docs?|test|changelog)\b[^:]{0,30}:|\b(?:changelog|release notes|documentation|docs|readme|tests?|specs?|rubocop|codeclimate)\b|^(?:update|prepare)\b.{0,20}\bhistory\b/iu;
const adds =
  /\b(?:add(?:s|ed|ing)?|introduc\w+|implement\w*|support\w*|new|creat\w+|allow\w*|initial|expos\w+|enabl\w+|provid\w+|feat)\b/iu;
const verbs: Readonly<Record<Purpose, RegExp | undefined>> = {
  first: adds,
  fix: /\b(?:fix(?:e[sd])?|resolv\w+|prevent\w*|correct\w*|avoid\w*|handl\w+|patch\w*|security|bug)\b/iu,
  change: undefined,
  any: undefined,
};
/** Words for a change: those of a question, those of the subject of its commit, and those of one that did the opposite. */
const changes: readonly { readonly asked: RegExp; readonly said: RegExp; readonly opposite?: RegExp }[] = [
  {
    asked:
      /\b(?:remov|drop|delet|disappear|vanish)\w*|\bgo(?:es)? away\b|\bwent away\b|\bno longer\b|\bany ?more\b|\bstop(?:s|ped)?\b/iu,
    said: /\b(?:remov|drop|delet|strip|stop|ignor|skip|disallow|prevent|avoid)\w*|\b(?:do not|don'?t|doesn'?t|no longer|never|without)\b/iu,
    opposite: adds,
  },
  { asked: /\bdeprecat\w*/iu, said: /\bdeprecat\w*/iu },
  { asked: /\brenam\w*/iu, said: /\brenam\w*/iu },
  { asked: /\b(?:replac|switch|migrat)\w*/iu, said: /\b(?:replac|switch|migrat)\w*/iu },
  { asked: /\brevert\w*/iu, said: /\brevert\w*/iu },
];
/** A commit that says to break what worked, and one that made something rather than changed it. */
const breaking = /^breaking\b|^\w{2,20}(?:\([^)]{0,40}\))?!:|\bbreaking change\b/iu;
const introduces = /^(?:introduc\w*|initial\w*|first)\b/iu;
const factors = {
  mechanical: 0.5,
  release: 0.5,
  verb: 1.25,
  opposite: 0.8,
  breaking: 1.15,
  introduces: 0.8,
} as const;

/** Returns whether a commit only formats, types or moves code, and the question is not about that. */
export function isMechanical(subject: string, asked: string): boolean {
  return mechanical.test(subject) && !mechanical.test(asked);
}

/** Returns how well the subject of a commit suits what is looked for, as a factor. */
export function factorOf(subject: string, purpose: Purpose, asked: string): number {
  const plain = isMechanical(subject, asked) ? factors.mechanical : 1;
  const isOther = release.test(subject) && !release.test(asked);
  const kind = purpose === 'change' ? changeFactor(subject) : 1;
  return verbFactor(subject, purpose, asked) * plain * kind * (isOther ? factors.release : 1);
}

/** Returns the factor of what the subject says to have been done. */
function verbFactor(subject: string, purpose: Purpose, asked: string): number {
  const own = verbs[purpose];
  if (own !== undefined) return own.test(subject) ? factors.verb : 1;
  const change = changes.find((one) => one.asked.test(asked));
  if (change?.said.test(subject) === true) return factors.verb;
  return change?.opposite?.test(subject) === true ? factors.opposite : 1;
}

function changeFactor(subject: string): number {
  const breaks = breaking.test(subject) ? factors.breaking : 1;
  return breaks * (introduces.test(subject) ? factors.introduces : 1);
}
