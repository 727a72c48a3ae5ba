import { isRecord } from '@berth/types'
import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { dirname, isAbsolute, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { KubeConfig, User } from '@kubernetes/client-node'
import type { Credentials, CredentialSource } from './cluster-access.ts'
import type { KubeconfigPlace } from './kubeconfig-error.ts'
import { kubeconfigError, oneLineMessage } from './kubeconfig-error.ts'

/**
 * Creates a source for the credentials of a kubeconfig user: token, client certificate, basic auth or exec plugin.
 * client-node runs plugins and auth providers, and is loaded only for them. Credentials that cannot change are read until
 * that succeeds once.
 *
 * @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS
 */
export function kubeconfigUserSource(user: User, place: KubeconfigPlace): CredentialSource {
  const prepared = prepareExec(user, place.file)
  const isDynamic = hasValue(prepared.exec) || hasValue(prepared.authProvider)
  let config: Promise<KubeConfig> | undefined
  let cached: Promise<Credentials> | undefined
  const applyDynamic = async (options: RequestOptions): Promise<void> => {
    config ??= configFor(prepared)
    await (await config).applyToHTTPSOptions(options)
  }
  const apply = isDynamic ? applyDynamic : applyStatic(prepared)

  return (options) => {
    if (options?.refresh === true) {
      // A new KubeConfig has an empty credential cache, so the plugin runs again.
      config = undefined
      cached = undefined
    }
    if (cached !== undefined) return cached
    const requested = authenticate(apply, prepared, place)
    if (!isDynamic) {
      cached = requested
      // A file that could not be read is read again by the next call.
      requested.catch(() => {
        if (cached === requested) cached = undefined
      })
    }
    return requested
  }
}

type ApplyCredentials = (options: RequestOptions) => Promise<void>

async function authenticate(apply: ApplyCredentials, user: User, place: KubeconfigPlace): Promise<Credentials> {
  const options: RequestOptions = {}
  const fail = (key: string, cause: unknown, hint: string): never => {
    const at = { ...place, key: `users[${user.name}].user${key}` }
    throw kubeconfigError(at, oneLineMessage(cause), { code: 'BERTH_KUBECONFIG_CREDENTIALS', cause, hint })
  }
  try {
    await apply(options)
  } catch (cause) {
    if (hasValue(user.exec)) fail('.exec', cause, 'Run the exec plugin by hand to see its error.')
    if (hasValue(user.authProvider)) fail('.auth-provider', cause, 'Log in again with the tool that wrote the entry.')
    fail('', cause, 'Check the files that the user entry names.')
  }
  const cert = hasValue(options.cert) ? pem(options.cert) : undefined
  const key = hasValue(options.key) ? pem(options.key) : undefined
  try {
    // Checked here, because an error at connection time could not name the kubeconfig entry.
    createSecureContext({ cert, key })
  } catch (cause) {
    const hint = 'Provide a PEM certificate and the PEM key that belongs to it; the -data keys hold them in base64.'
    fail(hasValue(user.exec) ? '.exec' : '.client-certificate and client-key', cause, hint)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (typeof value === 'string') headers[name.toLowerCase()] = value.trim()
  if (typeof options.auth === 'string')
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  return {
    headers,
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

/** Applies the credentials that are in the entry itself, as `KubeConfig.applyToHTTPSOptions` of client-node 2.0.1 does. */
function applyStatic(user: User): ApplyCredentials {
  const { token, username, password, certFile, certData, keyFile, keyData, impersonateUser } = user
  const read = (file: string | undefined, data: string | undefined): Buffer | undefined => {
    if (file) return readFileSync(file)
    return data ? Buffer.from(data, 'base64') : undefined
  }
  return async (options) => {
    const [cert, key] = [read(certFile, certData), read(keyFile, keyData)]
    Object.assign(options, {
      ...(cert && { cert }),
      ...(key && { key }),
      headers: {
        ...(impersonateUser && { 'Impersonate-User': impersonateUser }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(username && { auth: `${username}:${password}` }),
    })
  }
}

async function configFor(user: User): Promise<KubeConfig> {
  const { newKubeConfig } = await import('./new-kube-config.ts')
  const config = newKubeConfig()
  // Only the user matters here: the transport of this package makes the connection.
  config.loadFromClusterAndUser({ name: 'cluster', server: 'https://localhost', skipTLSVerify: false }, user)
  return config
}

/** Adds what client-node omits: the environment variable of the exec protocol, and commands relative to the file. */
function prepareExec(user: User, file: string | undefined): User {
  const exec: unknown = user.exec
  if (!isRecord(exec)) return user
  const info = { apiVersion: exec['apiVersion'], kind: 'ExecCredential', spec: { interactive: false } }
  const given: readonly unknown[] = Array.isArray(exec['env']) ? exec['env'] : []
  const command = typeof exec['command'] === 'string' ? exec['command'] : ''
  const isRelative = command.includes('/') && !isAbsolute(command) && file !== undefined
  return {
    ...user,
    exec: {
      ...exec,
      command: isRelative ? resolve(dirname(file), command) : command,
      env: [...given, { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }],
    },
  }
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null
}

function pem(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value)
}
