import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../kernel/data-folder.ts';
import { sshCommand } from './ssh-command.ts';

/** Returns the options that ssh derives from the command, as printed by `ssh -G`. */
function optionsInForce(command: string, host: string): string {
  return execFileSync('sh', ['-c', `${command} -G ${host}`], { encoding: 'utf8' });
}

const files = dataFolder('/srv/with space/100%').ssh;

describe('sshCommand', () => {
  it('connects to the checked address and stores the host key under the name', () => {
    const command = sshCommand({
      ...files,
      identity: undefined,
      remote: { host: 'git.example.com', port: 22 },
      address: '8.8.8.8',
    });
    const options = optionsInForce(command, 'git.example.com');
    expect(options).toMatch(/^hostname 8\.8\.8\.8$/m);
    expect(options).toMatch(/^hostkeyalias git\.example\.com$/m);
  });

  it('never prompts or forwards, and uses no agent or configuration of the account', () => {
    const options = optionsInForce(
      sshCommand({ ...files, remote: { host: 'a.example', port: 2222 }, address: '2606:4700::1' }),
      'a.example',
    );
    expect(options).toMatch(/^batchmode yes$/m);
    expect(options).toMatch(/^stricthostkeychecking accept-new$/m);
    expect(options).toMatch(/^forwardagent no$/m);
    expect(options).toMatch(/^clearallforwardings yes$/m);
    expect(options).toMatch(/^identityagent none$/m);
    expect(options).toMatch(/^identitiesonly yes$/m);
    expect(options).toMatch(/^hostname 2606:4700::1$/m);
    expect(options).toMatch(/^hostkeyalias \[a\.example\]:2222$/m);
    expect(options).not.toMatch(/^proxycommand/m);
  });

  it('finds its files in a folder of any name', () => {
    const command = sshCommand({
      ...dataFolder("/srv/it's $HOME/x y").ssh,
      remote: { host: 'a.example', port: 22 },
      address: undefined,
    });
    expect(optionsInForce(command, 'a.example')).toContain(
      "userknownhostsfile /srv/it's $HOME/x y/ssh/known_hosts",
    );
  });
});
