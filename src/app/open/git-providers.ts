import { gitea } from '../../backends/git-providers/gitea/gitea.ts';
import { github } from '../../backends/git-providers/github/github.ts';
import { https } from '../../backends/git-providers/https/https.ts';
import type { GitProvider } from '../../backends/git-providers/port.ts';

/** Every kind of Git host. Each has a folder of its name in `backends/git-providers`. */
export const gitProviders: readonly GitProvider[] = [github, gitea, https];
