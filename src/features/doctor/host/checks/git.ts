import { GitError } from '../../../../foundation/git/process/git-error.ts';
import { checkGitVersion } from '../../../../foundation/git/process/git-version.ts';
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
        'Git is needed to clone and read repositories. Install it and add it to PATH.',
      );
    }
  },
};
