import type { MatrixCase, MatrixObject } from './matrix-case.ts'
import { nodeCases } from './node-cases.ts'
import { podCases } from './pod-cases.ts'
import { resourceCases } from './resource-cases.ts'
import { statusCases } from './status-cases.ts'
import { volumeCases } from './volume-cases.ts'

export type { MatrixCase, MatrixObject } from './matrix-case.ts'

/** Causes for which a pod waits, which `kubectl berth explain` must name as kube-scheduler does, and more exactly. */
export const explainMatrix: readonly MatrixCase[] = [
  ...nodeCases,
  ...podCases,
  ...resourceCases,
  ...volumeCases,
  ...statusCases,
]

/** A type of the API, as clients name it. */
interface MatrixResource {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

/** The calls by which {@link createMatrixObject} writes. */
interface MatrixClient {
  create(resource: MatrixResource, object: MatrixObject): Promise<unknown>
  patch(
    resource: MatrixResource,
    target: { readonly name: string; readonly namespace?: string },
    body: unknown,
    options: { readonly type: 'merge'; readonly subresource?: string },
  ): Promise<unknown>
}

const namespacedKinds: ReadonlySet<string> = new Set(['Pod', 'PersistentVolumeClaim'])

/** Returns the type of an object of a case, and its name. */
export function matrixTarget({ apiVersion, kind, metadata }: MatrixObject): {
  readonly resource: MatrixResource
  readonly target: { readonly name: string; readonly namespace?: string }
} {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const plural = kind === 'StorageClass' ? 'storageclasses' : `${kind.toLowerCase()}s`
  const { name, namespace } = metadata
  return {
    resource: { group, version, plural, kind, namespaced: namespacedKinds.has(kind) },
    target: { name, ...(namespace !== undefined && { namespace }) },
  }
}

/** Creates an object of a case with its status. A node keeps no taint that admission adds. */
export async function createMatrixObject(client: MatrixClient, object: MatrixObject): Promise<void> {
  const { kind, spec, status } = object
  const { resource, target } = matrixTarget(object)
  await client.create(resource, object)
  if (kind === 'Node') {
    const { taints } = spec as { readonly taints: unknown }
    await client.patch(resource, target, { spec: { taints } }, { type: 'merge' })
  }
  if (status !== undefined) await client.patch(resource, target, { status }, { type: 'merge', subresource: 'status' })
}

/** Returns the sentence of kube-scheduler for a case whose nodes are the only ones; empty without one. */
export function schedulerSentence({ nodes, reasons }: MatrixCase): string {
  if (reasons === undefined) return ''
  const available = `0/${nodes.length} nodes are available`
  if (typeof reasons === 'string') return `${available}: ${reasons}.`
  const counted = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`)
  return `${available}: ${counted.sort().join(', ')}.`
}
