import { errorText } from '@berth/text/error-text'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node'
import { parse } from 'yaml'
import type { ClusterAccess } from './cluster-access.ts'
import { withCaFile } from './ca-file.ts'
import { KubeconfigError, type KubeconfigPlace } from './kubeconfig-error.ts'
import { kubeconfigError, lineOf } from './kubeconfig-error.ts'
import { inClusterAccess } from './in-cluster.ts'
import { kubeconfigUserSource } from './kubeconfig-user.ts'
import { tokenFileSource } from './token-file.ts'

/** The proxy protocols that kubectl supports. */
const PROXY_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

/** Where {@link loadKubeconfig} looks for a cluster. */
export interface KubeconfigOptions {
  /** `--kubeconfig`: only this file. */
  readonly path?: string | undefined
  /** `--context`; default: the file's current-context. */
  readonly context?: string | undefined
  /** Environment: KUBECONFIG, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are read. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Home directory. */
  readonly home: string
  /** Monotonic milliseconds, for the age of token files. Default: the process's own. */
  readonly now?: () => number
  /** Directory of the mounted service account; for tests. */
  readonly serviceAccountDir?: string
}

interface LoadedFile {
  readonly file: string
  readonly config: KubeConfig
  /** `tokenFile` by user name; client-node does not know this key. */
  readonly tokenFiles: ReadonlyMap<string, string>
}

/**
 * Finds the cluster to connect to: in `path`, else in the files of KUBECONFIG, else in `~/.kube/config`, else through
 * the service account of the pod. If several files define an entry, the first one wins, as with kubectl. A proxy is used
 * only if the cluster entry has a `proxy-url`; HTTPS_PROXY is ignored.
 *
 * @throws KubeconfigError BERTH_KUBECONFIG_MISSING, BERTH_KUBECONFIG_INVALID, BERTH_KUBECONFIG_CONTEXT
 */
export function loadKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const now = options.now ?? (() => performance.now())
  const listed = (options.env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  if (options.path !== undefined) return accessFrom([loadFile(options.path)], options, now)
  if (listed.length > 0) return accessFrom(loadExisting(listed, 'KUBECONFIG'), options, now)
  const standard = join(options.home, '.kube', 'config')
  const text = readIfPresent(standard)
  if (text !== undefined) return accessFrom([parseFile(standard, text)], options, now)
  const { env, serviceAccountDir } = options
  const inCluster = inClusterAccess({ env, now, ...(serviceAccountDir === undefined ? {} : { serviceAccountDir }) })
  if (inCluster !== undefined) return inCluster
  throw missing(standard, 'no such file, and this process does not run in a pod')
}

function loadExisting(files: readonly string[], variable: string): readonly LoadedFile[] {
  const found = files.flatMap((file) => {
    const text = readIfPresent(file)
    return text === undefined ? [] : [parseFile(file, text)]
  })
  if (found.length === 0) throw missing(files.join(', '), `none of the files in ${variable} exists`)
  return found
}

function loadFile(file: string): LoadedFile {
  const text = readIfPresent(file)
  if (text === undefined) throw missing(file, 'no such file')
  return parseFile(file, text)
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw missing(file, errorText(cause), cause)
  }
}

function missing(file: string, reason: string, cause?: unknown): KubeconfigError {
  const options = { code: 'BERTH_KUBECONFIG_MISSING', hint: 'Pass --kubeconfig FILE or set KUBECONFIG.' }
  return new KubeconfigError(
    `read kubeconfig ${file}: ${reason}`,
    { file },
    cause === undefined ? options : { ...options, cause },
  )
}

function parseFile(file: string, text: string): LoadedFile {
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

function accessFrom(files: readonly LoadedFile[], options: KubeconfigOptions, now: () => number): ClusterAccess {
  const source = files.map(({ file }) => file).join(', ')
  const contextName = options.context ?? files.map(({ config }) => config.currentContext).find((name) => Boolean(name))
  const names = files.flatMap(({ config }) => config.contexts.map(({ name }) => name))
  const hint = names.length === 0 ? 'The file has no contexts.' : `Available contexts: ${names.join(', ')}.`
  const fail = (reason: string, place: KubeconfigPlace): never => {
    throw kubeconfigError(place, reason, { code: 'BERTH_KUBECONFIG_CONTEXT', hint })
  }
  if (contextName === undefined) return fail('is not set', { file: source, key: 'current-context' })
  const context = firstNamed(files, ({ config }) => config.contexts, contextName)
  if (context === undefined) return fail('the context does not exist', { file: source, context: contextName })
  const { file } = context
  const cluster = firstNamed(files, ({ config }) => config.clusters, context.entry.cluster)
  if (cluster === undefined) {
    const key = `contexts[${contextName}].context.cluster`
    return fail(`the cluster "${context.entry.cluster}" does not exist`, { file, context: contextName, key })
  }
  const userName: string | undefined = context.entry.user
  const user = userName === undefined ? undefined : firstNamed(files, ({ config }) => config.users, userName)
  if (userName !== undefined && user === undefined) {
    const key = `contexts[${contextName}].context.user`
    return fail(`the user "${userName}" does not exist`, { file, context: contextName, key })
  }
  const place: KubeconfigPlace = { file: user?.file ?? file, context: contextName }
  const tokenFile = userName === undefined ? undefined : user?.tokenFiles.get(userName)
  const entry: User = user?.entry ?? { name: 'anonymous' }
  const proxyUrl = proxyOf(cluster.entry, cluster.file, contextName)
  const ca = caOf(cluster.entry, cluster.file, contextName)
  const credentials =
    tokenFile === undefined || entry.token !== undefined
      ? kubeconfigUserSource(entry, place)
      : tokenFileSource(tokenFile, { ...place, key: `users[${entry.name}].user.tokenFile` }, now)
  const { caFile } = ca
  return {
    source,
    context: contextName,
    server: serverOf(cluster.entry, cluster.file, contextName),
    namespace: context.entry.namespace,
    ca: ca.text,
    tlsServerName: cluster.entry.tlsServerName,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    skipTlsVerify: cluster.entry.skipTLSVerify,
    credentials:
      caFile === undefined || ca.text === undefined ? credentials : withCaFile(credentials, caFile, ca.text, now),
  }
}

function firstNamed<T extends { readonly name: string }>(
  files: readonly LoadedFile[],
  entriesOf: (file: LoadedFile) => readonly T[],
  name: string,
): (Omit<LoadedFile, 'config'> & { readonly entry: T }) | undefined {
  for (const loaded of files) {
    const entry = entriesOf(loaded).find((candidate) => candidate.name === name)
    if (entry !== undefined) return { file: loaded.file, tokenFiles: loaded.tokenFiles, entry }
  }
  return undefined
}

function serverOf(cluster: Cluster, file: string, context: string): string {
  const place = { file, context, key: `clusters[${cluster.name}].cluster.server` }
  const hint = 'Set server to a URL such as https://10.0.0.1:6443.'
  const url = URL.canParse(cluster.server)
    ? new URL(cluster.server)
    : invalid(place, `is not a URL: "${cluster.server}"`, hint)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    invalid(place, `has an unknown protocol: "${cluster.server}"`, hint)
  return cluster.server.replace(/\/+$/, '')
}

function proxyOf({ name, proxyUrl }: Cluster, file: string, context: string): string | undefined {
  if (proxyUrl === undefined) return undefined
  const place = { file, context, key: `clusters[${name}].cluster.proxy-url` }
  const hint = 'Set proxy-url to a URL such as http://10.0.0.1:3128.'
  // The URL of a proxy may contain a password, so messages never repeat it.
  const { protocol } = URL.canParse(proxyUrl) ? new URL(proxyUrl) : invalid(place, 'is not a URL', hint)
  if (!PROXY_PROTOCOLS.has(protocol))
    invalid(place, `uses "${protocol}//", but only http, https and socks5 are supported`, hint)
  return proxyUrl
}

function invalid(place: Required<KubeconfigPlace>, reason: string, hint: string): never {
  throw kubeconfigError(place, reason, { code: 'BERTH_KUBECONFIG_INVALID', hint })
}

function caOf(
  cluster: Cluster,
  file: string,
  context: string,
): { readonly text?: string | undefined; readonly caFile?: string | undefined } {
  const placed = (key: string): Required<KubeconfigPlace> => ({
    file,
    context,
    key: `clusters[${cluster.name}].cluster.${key}`,
  })
  if (cluster.caData !== undefined) {
    const text = Buffer.from(cluster.caData, 'base64').toString('utf8')
    return { text: pemOrInvalid(text, placed('certificate-authority-data')) }
  }
  const { caFile } = cluster
  if (caFile === undefined) return {}
  const place = placed('certificate-authority')
  let text: string
  try {
    text = readFileSync(caFile, 'utf8')
  } catch (cause) {
    const hint = 'Correct the path of the certificate authority.'
    throw kubeconfigError(place, lineOf(cause), { code: 'BERTH_KUBECONFIG_INVALID', cause, hint })
  }
  return { text: pemOrInvalid(text, place), caFile }
}

/** OpenSSL reads any other text as an empty list of authorities; then no server would be trusted, without a visible reason. */
function pemOrInvalid(text: string, place: Required<KubeconfigPlace>): string {
  return text.includes('-----BEGIN CERTIFICATE-----')
    ? text
    : invalid(
        place,
        'does not contain a PEM certificate',
        'Provide one or more PEM certificates; certificate-authority-data holds them in base64.',
      )
}
