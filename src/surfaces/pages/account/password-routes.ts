import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { changePassword } from '../../../features/identity/sign-in/change-password.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { browserOf } from '../browser-of.ts';
import { checkFields, errorsOf, typedPassword } from '../kit/forms/check-fields.ts';
import type { FieldErrors } from '../kit/forms/form.ts';
import type { FormRule } from '../kit/requests/form-guard.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { pagePaths, passwordSavedPath, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { enterSession } from '../sign-in/enter-session.ts';
import { isSignedIn, type Person, signedInPerson } from '../signed-in-person.ts';
import { passwordPage } from './password-page.ts';
import { passwordState } from './password-state.ts';

const { password: path } = pagePaths;
const purpose = 'password';
const rule: FormRule = { purpose: () => purpose, page: () => path };

const fieldsShape = z.object({
  current: z
    .string()
    .max(1024, { error: 'This password is too long: enter at most 1024 characters.' })
    .optional(),
  password: typedPassword('Choose a password.'),
});

/** Registers the page that changes a password, or sets the first one of a person who signed in by link. */
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
    const { values, errors } = checkFields(fieldsShape, fieldsOf(request));
    if (errors) return show(reply, visitor, errors);
    await requirePasswords(visitor);
    try {
      const change = { session: visitor.session, ...values, ...browserOf(request) };
      const { token } = await changePassword(identity, change);
      await enterSession(context, request, reply, token);
      return seeOther(reply, passwordSavedPath);
    } catch (error) {
      return show(reply, visitor, errorsOf(error, ['current', 'password']));
    }
  });

  /** Returns whether the person has a password. @throws NotFound if they sign in at the identity provider */
  async function requirePasswords(visitor: Person): Promise<boolean> {
    const state = await passwordState(context, visitor);
    if (state !== 'elsewhere') return state === 'set';
    throw new NotFound('You sign in with the identity provider, so you have no password here.');
  }

  async function show(reply: FastifyReply, visitor: Person, errors?: FieldErrors): Promise<FastifyReply> {
    const page = passwordPage({
      action: path,
      csrf: tokens.issue(visitor, purpose),
      person: signedInPerson(context, visitor),
      hasPassword: await requirePasswords(visitor),
      errors,
    });
    return sendPage(reply, page, { status: errors === undefined ? 200 : 400 });
  }
}
