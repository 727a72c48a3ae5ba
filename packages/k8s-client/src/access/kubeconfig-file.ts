import { errorText } from '@berth/text/error-text'
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { parse } from 'yaml'
import { KubeconfigError } from './kubeconfig-error.ts'

/** One kubeconfig file. */
export interface KubeconfigFile {
  readonly file: string
  readonly config: KubeConfig
  /** `tokenFile` by user name; client-node does not know this key. */
  readonly tokenFiles: ReadonlyMap<string, string>
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
  const config = new KubeConfig()
  try {
    const document: unknown = parse(text)
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      throw new Error('the file is not a YAML object')
    config.loadFromString(text)
    config.makePathsAbsolute(dirname(file))
    return { file, config, tokenFiles: tokenFilesOf(document, file) }
  } catch (cause) {
    const message = errorText(cause)
    const reason = (message.split('\n', 1)[0] ?? message).replace(/:$/, '')
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

function tokenFilesOf(document: object, file: string): ReadonlyMap<string, string> {
  const users: unknown = 'users' in document ? document.users : undefined
  const found = new Map<string, string>()
  for (const entry of Array.isArray(users) ? (users as unknown[]) : []) {
    const { name, user } = entry as { readonly name?: unknown; readonly user?: { readonly tokenFile?: unknown } | null }
    const path = user?.tokenFile
    if (typeof name === 'string' && typeof path === 'string')
      found.set(name, isAbsolute(path) ? path : join(dirname(file), path))
  }
  return found
}
