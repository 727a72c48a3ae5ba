import type { Pod } from '@berth/types'

/** One rule of a role. */
export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** An object that the chart renders, with the fields that the tests read. */
export interface ChartObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: unknown
  readonly data?: Readonly<Record<string, string>>
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

/** Returns the label `app.kubernetes.io/component` of an object. */
export function componentOf({ metadata }: ChartObject): string | undefined {
  return metadata.labels?.['app.kubernetes.io/component']
}

/** Returns the object with this kind and name. @throws Error unless there is exactly one */
export function find(objects: readonly ChartObject[], kind: string, name: string): ChartObject {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name)
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`${found.length} ${kind} ${name}`)
  return only
}

/** A pod or a pod template. */
export interface PodTemplate {
  readonly owner: ChartObject
  readonly metadata: ChartObject['metadata']
  readonly spec: PodSpec
}

/** A container, with the fields that the tests read. */
export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number; readonly hostPort?: number }[]
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>
    readonly limits?: Readonly<Record<string, string>>
  }
  readonly livenessProbe?: unknown
  readonly readinessProbe?: unknown
  readonly startupProbe?: unknown
  readonly securityContext?: SecurityContext
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
}

/** Security settings of a pod or container. */
export interface SecurityContext {
  readonly privileged?: boolean
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly allowPrivilegeEscalation?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] }
  readonly seccompProfile?: { readonly type: string }
}

/** The spec of a pod, with the fields that the tests read. */
export interface PodSpec extends Omit<Pod['spec'], 'containers' | 'initContainers' | 'volumes'> {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly Readonly<Record<string, unknown> & { name: string }>[]
  readonly securityContext?: SecurityContext
  readonly serviceAccountName?: string
  readonly automountServiceAccountToken?: boolean
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
}

/** Returns every pod and pod template among the objects. */
export function podTemplates(objects: readonly ChartObject[]): readonly PodTemplate[] {
  return objects.flatMap((owner) => {
    if (owner.kind === 'Pod') return [{ owner, metadata: owner.metadata, spec: owner.spec as PodSpec }]
    const { template } = (owner.spec ?? {}) as { readonly template?: Omit<PodTemplate, 'owner'> }
    return template === undefined ? [] : [{ ...template, owner }]
  })
}
