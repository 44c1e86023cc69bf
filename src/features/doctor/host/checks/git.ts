import { GitError } from '../../../../foundation/git/git-error.ts';
import { checkGitVersion } from '../../../../foundation/git/git-version.ts';
import { fail, type HostCheck, pass } from '../check.ts';

export const gitCheck: HostCheck = {
  id: 'git',
  title: 'Git',
  async run() {
    try {
      const version = await checkGitVersion();
      return pass(`Git ${version}.`, { version });
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return fail(
        error.message,
        'Repositories are cloned and read with it: install it and see that it is on PATH.',
      );
    }
  },
};
