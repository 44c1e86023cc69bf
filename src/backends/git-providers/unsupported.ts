import { type GitHost, GitHostError } from './port.ts';

/** Returns a method that a kind of Git host does not support. */
export function unsupported(host: string, what: string): () => Promise<never> {
  return async () => {
    throw new GitHostError(host, 'unsupported', `A Git-host connection of this kind cannot ${what}.`);
  };
}

/** Returns the methods of an App, for kinds without Apps. */
export function withoutApps(host: string): Pick<GitHost, 'installUrl' | 'installation'> {
  const refuse = unsupported(host, 'be installed as an App');
  return { installUrl: refuse, installation: refuse };
}
