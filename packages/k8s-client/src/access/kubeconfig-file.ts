import { errorText } from '@berth/text/error-text'
import { firstLine } from '@berth/text/first-line'
import { isRecord } from '@berth/types'
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
// Only the entries: the package itself loads an HTTP client and every kind of the API, which costs each program 20 MB.
import type { Cluster, Context, User } from '@kubernetes/client-node'
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js'
import { parse } from 'yaml'
import { KubeconfigError } from './kubeconfig-error.ts'

/** One kubeconfig file. */
export interface KubeconfigFile {
  readonly file: string
  /** Its entries, with absolute paths. */
  readonly config: KubeconfigEntries
  /** `tokenFile` by user name; client-node does not know this key. */
  readonly tokenFiles: ReadonlyMap<string, string>
}

/** The entries of a kubeconfig. */
export interface KubeconfigEntries {
  readonly clusters: readonly Cluster[]
  readonly contexts: readonly Context[]
  readonly users: readonly User[]
  readonly currentContext: string | undefined
}

/**
 * Loads one kubeconfig file.
 *
 * @returns Undefined if the file does not exist.
 * @throws KubeconfigError BERTH_KUBECONFIG_MISSING if it cannot be read, BERTH_KUBECONFIG_INVALID
 */
export function findKubeconfigFile(file: string): KubeconfigFile | undefined {
  const text = readIfPresent(file)
  return text === undefined ? undefined : parseFile(file, text)
}

/** Creates the error for a kubeconfig that cannot be found or read. */
export function missingKubeconfig(file: string, reason: string, cause?: unknown): KubeconfigError {
  const options = { code: 'BERTH_KUBECONFIG_MISSING', hint: 'Pass --kubeconfig FILE or set KUBECONFIG.' }
  return new KubeconfigError(
    `read kubeconfig ${file}: ${reason}`,
    { file },
    cause === undefined ? options : { ...options, cause },
  )
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw missingKubeconfig(file, errorText(cause), cause)
  }
}

function parseFile(file: string, text: string): KubeconfigFile {
  try {
    const document: unknown = parse(text, { merge: true })
    if (!isRecord(document)) throw new Error('the file is not a YAML object')
    const absolute = (path: string): string => (isAbsolute(path) ? path : join(dirname(file), path))
    return { file, config: entriesOf(document, absolute), tokenFiles: tokenFilesOf(document, absolute) }
  } catch (cause) {
    const reason = firstLine(errorText(cause)).replace(/:$/, '')
    const key = /^((?:clusters|users|contexts)\[\d+\][\w.]*)/.exec(reason)?.[1]
    throw new KubeconfigError(
      `read kubeconfig ${file}: ${reason}`,
      { file, ...(key === undefined ? {} : { key }) },
      {
        code: 'BERTH_KUBECONFIG_INVALID',
        cause,
        hint: 'Compare the file with the output of "kubectl config view".',
      },
    )
  }
}

function entriesOf(document: Readonly<Record<string, unknown>>, absolute: (path: string) => string): KubeconfigEntries {
  return {
    clusters: newClusters(document['clusters']).map((cluster) => ({
      ...cluster,
      ...(cluster.caFile && { caFile: absolute(cluster.caFile) }),
    })),
    contexts: newContexts(document['contexts']),
    users: newUsers(document['users']).map((user) => ({
      ...user,
      ...(user.certFile && { certFile: absolute(user.certFile) }),
      ...(user.keyFile && { keyFile: absolute(user.keyFile) }),
    })),
    currentContext: document['current-context'] as string | undefined,
  }
}

function tokenFilesOf(
  document: Readonly<Record<string, unknown>>,
  absolute: (path: string) => string,
): ReadonlyMap<string, string> {
  const users = document['users']
  const found = new Map<string, string>()
  for (const entry of Array.isArray(users) ? (users as unknown[]) : []) {
    const { name, user } = entry as { readonly name?: unknown; readonly user?: { readonly tokenFile?: unknown } | null }
    const path = user?.tokenFile
    if (typeof name === 'string' && typeof path === 'string' && path !== '') found.set(name, absolute(path))
  }
  return found
}
