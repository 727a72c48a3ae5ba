import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CannotRunError } from './cannot-run.ts'

/** The version that is tested unless another one is named. */
const DEFAULT_KUBERNETES = '1.36'
const VARIABLE = 'BERTH_E2E_KUBERNETES'
const PREFIX = 'kubernetes-'
const modules = join(import.meta.dirname, '..', 'node-image', 'modules')

/** A version of Kubernetes that `node-image/build-node-image` can build. */
export interface KubernetesVersion {
  /** For example `1.36`. */
  readonly minor: string
  /** For example `v1.36.3`. */
  readonly version: string
  /** Folder of its programs, and of kind and etcd. */
  readonly binDir: string
  /** The node image that `node-image/build-node-image` builds on this machine. */
  readonly ownNodeImage: string
  /** kind's own image of the same version. */
  readonly stockNodeImage: string
}

/** Returns the minor version that this run tests, see {@link kubernetesVariables}. */
export function testedKubernetes(): string {
  return process.env[VARIABLE] ?? DEFAULT_KUBERNETES
}

/** Returns whether this run tests the newest known version. */
export function isNewestKubernetes(): boolean {
  return testedKubernetes() === knownKubernetes()[0]
}

/** Returns the minor versions with a module in `node-image/modules`, newest first. */
function knownKubernetes(): readonly string[] {
  const names = readdirSync(modules).filter((name) => name.startsWith(PREFIX))
  return names.map((name) => name.slice(PREFIX.length)).toSorted((a, b) => minorNumber(b) - minorNumber(a))
}

const minorNumber = (minor: string): number => Number(minor.split('.')[1])

/**
 * Returns a version. Its patch version is the one that its module in `node-image/modules` requires.
 *
 * @param minor - Default: the one that this run tests.
 * @throws CannotRunError that names the known versions.
 */
export function kubernetesVersion(minor = testedKubernetes()): KubernetesVersion {
  const known = knownKubernetes()
  if (!known.includes(minor)) throw new CannotRunError(`Kubernetes ${minor}: known versions are ${known.join(', ')}`)
  const module = readFileSync(join(modules, `${PREFIX}${minor}`, 'go.mod'), 'utf8')
  const [, version = ''] = /\bk8s\.io\/kubernetes (v\S+)/.exec(module) ?? []
  const cache = process.env['KIND_OFFLINE_CACHE'] ?? join(homedir(), '.cache', 'kind-offline')
  return {
    minor,
    version,
    binDir: join(cache, minor === DEFAULT_KUBERNETES ? 'bin' : `bin-${minor}`),
    ownNodeImage: `berth-kind-node:${version}`,
    stockNodeImage: `kindest/node:${version}`,
  }
}

/** Returns the variables that pass the version to the scenarios. */
export function kubernetesVariables(minor: string): Readonly<Record<string, string>> {
  return { [VARIABLE]: minor }
}
