import { stringify } from 'yaml'
import type { Target } from '../executables/targets.ts'

/** A plugin in krew's index. */
export interface KrewPlugin {
  /** `kubectl NAME`. */
  readonly name: string
  readonly shortDescription: string
  readonly description: string
  readonly caveats?: string
}

/** The archive of a platform. */
export interface KrewArchive {
  readonly target: Target
  readonly url: string
  /** SHA-256 as hexadecimal digits. */
  readonly sha256: string
}

const homepage = 'https://berth.dev'

/** The plugins that a release contains. Both are one program; it runs the command that its name stands for. */
export const krewPlugins: readonly KrewPlugin[] = [
  {
    name: 'berth',
    shortDescription: 'Explains why pods do not fit, and what nodes have free',
    description: [
      'Shows workloads, free units of extended resources, and why a pod is Pending: numbers for each node and the',
      'cheapest fix, verified. Also simulates a cluster, tests scheduling plugins and serves a local page.',
    ].join('\n'),
    caveats: 'Run "kubectl berth completion install" to complete "kubectl berth" in the shell.',
  },
  {
    name: 'brief',
    shortDescription: 'Shows workloads with their pods, and why pods are Pending',
    description:
      'Shows whole trees of workloads, their conditions and Services, and a short reason for each Pending pod.',
  },
]

/** Returns the manifest of a plugin for krew's index. */
export function krewManifest(
  { name, shortDescription, description, caveats }: KrewPlugin,
  version: string,
  archives: readonly KrewArchive[],
): string {
  const platforms = archives.map(({ target, url, sha256 }) => {
    const bin = `kubectl-${name}${target.os === 'windows' ? '.exe' : ''}`
    return {
      selector: { matchLabels: { os: target.os, arch: target.arch } },
      uri: url,
      sha256,
      files: [
        { from: target.program, to: bin },
        { from: 'LICENSE', to: '.' },
      ],
      bin,
    }
  })
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name },
    spec: { version: `v${version}`, homepage, shortDescription, description, ...(caveats && { caveats }), platforms },
  })
}
