import { isRecord } from '@berth/types'
import type { RequestOptions } from 'node:https'
import { dirname, isAbsolute, join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { KubeConfig, type User } from '@kubernetes/client-node'
import type { Credentials } from './cluster-access.ts'
import type { KubeconfigPlace } from './kubeconfig-error.ts'
import { kubeconfigError, lineOf } from './kubeconfig-error.ts'
import type { CredentialSource } from './token-file.ts'

/**
 * Credentials of a kubeconfig user: token, client certificate, basic auth, exec plugin. Client-node does the
 * authentication; what cannot change is asked for once only.
 *
 * @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS
 */
export function kubeconfigUserSource(user: User, place: KubeconfigPlace): CredentialSource {
  const prepared = prepareExec(user, place.file)
  const isDynamic = hasValue(prepared.exec) || hasValue(prepared.authProvider)
  let config = configFor(prepared)
  let known: Promise<Credentials> | undefined

  return (options) => {
    if (options?.refresh === true) {
      // A new KubeConfig has an empty credential cache, so that the plugin really runs again.
      config = configFor(prepared)
      known = undefined
    }
    if (known !== undefined) return known
    const asked = authenticate(config, prepared, place)
    if (!isDynamic) known = asked
    return asked
  }
}

async function authenticate(config: KubeConfig, user: User, place: KubeconfigPlace): Promise<Credentials> {
  const options: RequestOptions = {}
  const fail = (key: string, cause: unknown, hint: string): never => {
    const at = { ...place, key: `users[${user.name}].user${key}` }
    throw kubeconfigError(at, lineOf(cause), { code: 'BERTH_KUBECONFIG_CREDENTIALS', cause, hint })
  }
  try {
    await config.applyToHTTPSOptions(options)
  } catch (cause) {
    if (hasValue(user.exec)) fail('.exec', cause, 'Run the exec plugin by hand.')
    if (hasValue(user.authProvider)) fail('.auth-provider', cause, 'Log in again with the tool that wrote the entry.')
    fail('', cause, 'Check the files that the user entry names.')
  }
  const cert = hasValue(options.cert) ? pem(options.cert) : undefined
  const key = hasValue(options.key) ? pem(options.key) : undefined
  try {
    // Here and not when connecting, where nobody knows any more whose certificate it is.
    createSecureContext({ cert, key })
  } catch (cause) {
    const hint = 'The certificate and the key are PEM, in base64 for -data, and belong to each other.'
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

function configFor(user: User): KubeConfig {
  const config = new KubeConfig()
  // Only the user matters here; the connection itself is made by our own transport.
  config.loadFromClusterAndUser({ name: 'cluster', server: 'https://localhost', skipTLSVerify: false }, user)
  return config
}

/** Adds what client-node leaves out: the protocol's environment variable and commands relative to the file. */
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
      command: isRelative ? join(dirname(file), command) : command,
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
