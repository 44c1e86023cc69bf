import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import {
  type App,
  type HostedInstallation,
  type HostedRepository,
  type IssuedToken,
  type Model,
  reaches,
  repositoryNamed,
} from './model.ts';
import { Refusal, type RouteCall } from './strict-api.ts';

type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** Verifies the token of an App, as strictly as the vendor: algorithm, issuer, and at most 10 minutes ahead. */
export async function appOf(model: Model, call: RouteCall): Promise<App> {
  const token = bearerOf(call);
  for (const app of model.apps) {
    try {
      const { payload } = await jwtVerify(token, createPublicKey(app.publicKey), {
        algorithms: ['RS256'],
        issuer: String(app.id),
        currentDate: new Date(model.now()),
        requiredClaims: ['iat', 'exp'],
      });
      const seconds = model.now() / 1_000;
      if ((payload.iat ?? 0) > seconds + 1)
        throw new Refusal(401, "'Issued at' claim ('iat') must be in the past");
      if ((payload.exp ?? 0) > seconds + 600) {
        throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
      }
      return app;
    } catch (error) {
      if (error instanceof Refusal) throw error;
    }
  }
  throw new Refusal(401, 'A JSON web token could not be decoded');
}

export async function installationOf(model: Model, call: RouteCall): Promise<HostedInstallation> {
  const app = await appOf(model, call);
  const installation = model.installations.get(Number(call.parameters['id']));
  if (installation?.appId !== app.id) throw new Refusal(404, 'Not Found');
  return installation;
}

function bearerOf({ message }: RouteCall): string {
  if (message.headers.accept !== 'application/vnd.github+json')
    throw new Refusal(415, 'Unsupported Media Type');
  return /^Bearer (\S+)$/.exec(message.headers.authorization ?? '')?.[1] ?? '';
}

export function tokenOf(model: Model, call: RouteCall): IssuedToken {
  const token = model.tokens.get(bearerOf(call));
  if (token === undefined || token.expiresAt <= model.now()) throw new Refusal(401, 'Bad credentials');
  return token;
}

export function activeInstallation(model: Model, { installationId }: IssuedToken): HostedInstallation {
  const installation = model.installations.get(installationId);
  if (installation === undefined) throw new Refusal(401, 'Bad credentials');
  if (installation.suspended) throw new Refusal(403, 'This installation has been suspended');
  return installation;
}

/** Whether a token of an installation reaches a repository. */
export function isVisible(
  token: IssuedToken,
  installation: HostedInstallation,
  repository: HostedRepository,
): boolean {
  const isSelected = token.repositoryIds === undefined || token.repositoryIds.includes(repository.id);
  return isSelected && reaches(installation, repository);
}

export function repositoryOf(model: Model, call: RouteCall, needed: Permissions): HostedRepository {
  const { id, owner, name } = call.parameters;
  const named =
    id === undefined ? repositoryNamed(model, `${owner}/${name}`) : model.repositories.get(Number(id));
  return permitted(model, call, named, needed);
}

/** Hides what the token does not reach with 404, and refuses what it lacks a permission for with 403. */
export function permitted(
  model: Model,
  call: RouteCall,
  repository: HostedRepository | undefined,
  needed: Permissions,
): HostedRepository {
  const token = tokenOf(model, call);
  const installation = activeInstallation(model, token);
  const isWrite = call.message.method !== 'GET';
  if (repository === undefined) throw new Refusal(404, 'Not Found');
  const visible = isVisible(token, installation, repository);
  if (!visible && (repository.private || isWrite)) throw new Refusal(404, 'Not Found');
  // A permission that the installation lost counts at once.
  const lacking = Object.entries(needed).filter(
    ([name, level]) =>
      !allows(token.permissions, name, level) || !allows(installation.permissions, name, level),
  );
  if (lacking.length > 0 && (isWrite || repository.private || 'repository_hooks' in needed)) {
    const accepted = lacking.map(([name, level]) => `${name}=${level}`).join('; ');
    throw new Refusal(403, 'Resource not accessible by integration', {
      headers: { 'x-accepted-github-permissions': accepted },
    });
  }
  if (repository.archived && isWrite) throw new Refusal(403, 'Repository was archived so is read-only.');
  return repository;
}

export function allows(permissions: Permissions, name: string, level: 'read' | 'write'): boolean {
  return permissions[name] === 'write' || permissions[name] === level;
}
