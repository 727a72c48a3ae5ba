import { delimiter, join } from 'node:path'
import { withCaFile } from './ca-file.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { caOf, proxyOf, serverOf } from './cluster-entry.ts'
import { inClusterAccess } from './in-cluster.ts'
import { kubeconfigError, type KubeconfigPlace } from './kubeconfig-error.ts'
import { findKubeconfigFile, missingKubeconfig, type KubeconfigFile } from './kubeconfig-file.ts'
import { userCredentials } from './user-credentials.ts'

/** Options of {@link loadKubeconfig}. */
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

/**
 * Finds the cluster to connect to: in `path`, else in the files of KUBECONFIG, else in `~/.kube/config`, else through
 * the service account of the pod. If several files define an entry, the first one wins, as with kubectl. A proxy is
 * used only if the cluster entry has a `proxy-url`; HTTPS_PROXY is ignored.
 *
 * @throws KubeconfigError BERTH_KUBECONFIG_MISSING, BERTH_KUBECONFIG_INVALID, BERTH_KUBECONFIG_CONTEXT
 */
export function loadKubeconfig(options: KubeconfigOptions): ClusterAccess {
  const now = options.now ?? (() => performance.now())
  const files = kubeconfigFiles(options)
  if (files !== undefined) return accessFrom(files, options, now)
  const { env, serviceAccountDir } = options
  const inCluster = inClusterAccess({ env, now, ...(serviceAccountDir === undefined ? {} : { serviceAccountDir }) })
  if (inCluster !== undefined) return inCluster
  throw missingKubeconfig(standardFile(options), 'no such file, and this process does not run in a pod')
}

/**
 * Returns the names of the contexts in the files that {@link loadKubeconfig} reads. Empty where there is no file.
 *
 * @throws KubeconfigError BERTH_KUBECONFIG_MISSING for files that are named and do not exist, BERTH_KUBECONFIG_INVALID
 */
export function contextNames(options: Pick<KubeconfigOptions, 'path' | 'env' | 'home'>): readonly string[] {
  return (kubeconfigFiles(options) ?? []).flatMap(({ config }) => config.contexts.map(({ name }) => name))
}

/** Returns the files of the options, KUBECONFIG or the home directory; undefined when there is no file in the home directory. */
function kubeconfigFiles(
  options: Pick<KubeconfigOptions, 'path' | 'env' | 'home'>,
): readonly KubeconfigFile[] | undefined {
  const listed = (options.env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  if (options.path !== undefined) return filesOf([options.path], 'no such file')
  if (listed.length > 0) return filesOf(listed, 'none of the files in KUBECONFIG exists')
  const file = findKubeconfigFile(standardFile(options))
  return file === undefined ? undefined : [file]
}

function standardFile({ home }: Pick<KubeconfigOptions, 'home'>): string {
  return join(home, '.kube', 'config')
}

/** Loads those of `paths` that exist; throws with `reason` if there are none. */
function filesOf(paths: readonly string[], reason: string): readonly KubeconfigFile[] {
  const files = paths.flatMap((path) => findKubeconfigFile(path) ?? [])
  if (files.length === 0) throw missingKubeconfig(paths.join(', '), reason)
  return files
}

function accessFrom(files: readonly KubeconfigFile[], options: KubeconfigOptions, now: () => number): ClusterAccess {
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
  const proxyUrl = proxyOf(cluster.entry, cluster.file, contextName)
  const ca = caOf(cluster.entry, cluster.file, contextName)
  const credentials = userCredentials({ entry: user?.entry ?? { name: 'anonymous' }, tokenFile, place, now })
  const { caFile } = ca
  return {
    source,
    context: contextName,
    server: serverOf(cluster.entry, cluster.file, contextName),
    namespace: context.entry.namespace || undefined,
    ca: ca.text,
    tlsServerName: cluster.entry.tlsServerName || undefined,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    skipTlsVerify: cluster.entry.skipTLSVerify,
    credentials:
      caFile === undefined || ca.text === undefined ? credentials : withCaFile(credentials, caFile, ca.text, now),
  }
}

function firstNamed<T extends { readonly name: string }>(
  files: readonly KubeconfigFile[],
  entriesOf: (file: KubeconfigFile) => readonly T[],
  name: string,
): (Omit<KubeconfigFile, 'config'> & { readonly entry: T }) | undefined {
  for (const loaded of files) {
    const entry = entriesOf(loaded).find((candidate) => candidate.name === name)
    if (entry !== undefined) return { file: loaded.file, tokenFiles: loaded.tokenFiles, entry }
  }
  return undefined
}
