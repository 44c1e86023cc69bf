import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { changePassword } from '../../features/identity/sign-in/change-password.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { browserOf } from './browser-of.ts';
import { enterSession } from './enter-session.ts';
import { checkFields, faultsOf, typedPassword } from './kit/check-fields.ts';
import type { Faults } from './kit/form.ts';
import type { FormRule } from './kit/form-guard.ts';
import { fieldsOf, visitorOf } from './kit/page-scope.ts';
import { seeOther, sendPage } from './kit/send-page.ts';
import { pagePaths, signInPath } from './page-paths.ts';
import type { PageContext } from './pages-deps.ts';
import { passwordPage } from './password-page.ts';
import { passwordState } from './password-state.ts';
import { isSignedIn, type Person, signedInPerson } from './signed-in-person.ts';

const { password: path, account: landing } = pagePaths;
const purpose = 'password';
const rule: FormRule = { purpose: () => purpose, page: () => path };

const fieldsShape = z.object({
  current: z.string().max(1024, { error: 'That is too long for a password.' }).optional(),
  password: typedPassword('Choose a password.'),
});

/** Another password for who is signed in, or a first one for who came by a link. */
export function passwordRoutes(server: FastifyInstance, context: PageContext): void {
  const { identity, tokens } = context;

  server.get(path, { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(path));
    return show(reply, visitor);
  });

  server.post(path, { schema: { hide: true }, config: { form: rule } }, async (request, reply) => {
    const visitor = visitorOf(request);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(path));
    const { values, faults } = checkFields(fieldsShape, fieldsOf(request));
    if (faults) return show(reply, visitor, faults);
    await requirePasswords(visitor);
    try {
      const change = { session: visitor.session, ...values, ...browserOf(request) };
      const { token } = await changePassword(identity, change);
      await enterSession(context, request, reply, token);
      return seeOther(reply, landing);
    } catch (error) {
      return show(reply, visitor, faultsOf(error, ['current', 'password']));
    }
  });

  /** @throws NotFound for who signs in elsewhere; otherwise answers whether they have a password */
  async function requirePasswords(visitor: Person): Promise<boolean> {
    const state = await passwordState(context, visitor);
    if (state !== 'elsewhere') return state === 'set';
    throw new NotFound('You sign in at the identity provider, and have no password here.');
  }

  async function show(reply: FastifyReply, visitor: Person, faults?: Faults): Promise<FastifyReply> {
    const page = passwordPage({
      action: path,
      csrf: tokens.issue(visitor, purpose),
      person: signedInPerson(context, visitor),
      hasPassword: await requirePasswords(visitor),
      faults,
    });
    return sendPage(reply, page, { status: faults === undefined ? 200 : 400 });
  }
}
