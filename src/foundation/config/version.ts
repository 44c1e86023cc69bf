import manifest from '../../../package.json' with { type: 'json' };

/** Of the program, as in package.json. */
export const version: string = manifest.version;
