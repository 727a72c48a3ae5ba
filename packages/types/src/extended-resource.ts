import type { ObjectMeta } from './object-meta.ts'

/** An amount of one extended resource on each selected node (`berth.dev/v1alpha1`, cluster-scoped). */
export interface ExtendedResource {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly spec?: ExtendedResourceSpec
  readonly status?: ExtendedResourceStatus
}

/** Declaration of an {@link ExtendedResource}. Exactly one of `units` and `source` is set. */
export interface ExtendedResourceSpec {
  /** Name of the resource, as pods request it. It cannot be changed. */
  readonly resourceName: string
  /** Units that each selected node offers. */
  readonly units?: number | undefined
  readonly source?: ExtendedResourceSource | undefined
  readonly nodes: ExtendedResourceNodes
  /** Among objects that select one node for one resource, the highest applies. Default: 0. */
  readonly precedence?: number | undefined
}

/** The nodes that an {@link ExtendedResource} selects. Exactly one of `names` and `selector` is set. */
export interface ExtendedResourceNodes {
  readonly names?: readonly string[] | undefined
  /** `meta/v1.LabelSelector`. An empty one selects every node. */
  readonly selector?:
    | {
        readonly matchLabels?: Readonly<Record<string, string>> | undefined
        readonly matchExpressions?:
          | readonly {
              readonly key: string
              readonly operator: string
              readonly values?: readonly string[] | undefined
            }[]
          | undefined
      }
    | undefined
}

/** Computes the units of each selected node. */
export interface ExtendedResourceSource {
  readonly plugin: string
  readonly args?: Readonly<Record<string, string | number>> | undefined
  /** Default: `total`. */
  readonly reading?: 'total' | 'free' | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly step?: number | undefined
  readonly rounding?: 'down' | 'up' | 'nearest' | undefined
  readonly everySeconds?: number | undefined
  readonly timeoutSeconds?: number | undefined
  readonly maxAgeSeconds?: number | undefined
  readonly keepSeconds?: number | undefined
}

/** Result of the advertiser for an {@link ExtendedResource}. */
export interface ExtendedResourceStatus {
  /** The `metadata.generation` that this status is about. */
  readonly observedGeneration: number
  readonly nodesMatched: number
  readonly nodesAdvertised: number
  /** Number of nodes that do not offer the resource as declared. */
  readonly conflictCount: number
  /** The first of these nodes, by name. */
  readonly conflicts?: readonly ExtendedResourceConflict[] | undefined
  /** The latest failure to write a node; absent after a success. */
  readonly lastError?: string | undefined
  readonly conditions?: readonly ExtendedResourceCondition[] | undefined
}

/** The reason why one node does not offer the resource as declared. */
export interface ExtendedResourceConflict {
  readonly node: string
  readonly reason: string
  readonly message: string
}

/** `meta/v1.Condition`. */
export interface ExtendedResourceCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number | undefined
  /** RFC 3339, seconds. */
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}
