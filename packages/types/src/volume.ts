import type { NodeSelector } from './affinity.ts'
import type { LabelSelector, ObjectMeta } from './object-meta.ts'

/** `v1.Volume`: a name and one source; only the sources that filters read are named. */
export interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
  readonly ephemeral?: { readonly volumeClaimTemplate?: unknown }
  readonly gcePersistentDisk?: { readonly pdName: string; readonly readOnly?: boolean }
  readonly awsElasticBlockStore?: { readonly volumeID: string; readonly readOnly?: boolean }
  readonly azureDisk?: { readonly diskName: string; readonly diskURI: string; readonly kind?: string }
  readonly cinder?: { readonly volumeID: string }
  readonly rbd?: {
    readonly monitors?: readonly string[]
    readonly image: string
    readonly pool?: string
    readonly readOnly?: boolean
  }
  readonly iscsi?: {
    readonly targetPortal?: string
    readonly iqn: string
    readonly lun?: number
    readonly readOnly?: boolean
  }
  readonly csi?: { readonly driver: string }
  readonly [source: string]: unknown
}

/** `v1.PersistentVolume`, cut. */
export interface PersistentVolume {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly nodeAffinity?: { readonly required?: NodeSelector }
    readonly accessModes?: readonly string[]
    readonly storageClassName?: string
    readonly claimRef?: {
      readonly namespace?: string
      readonly name?: string
      readonly uid?: string
      readonly [field: string]: unknown
    }
    readonly csi?: { readonly driver: string; readonly volumeHandle: string }
    readonly capacity?: Readonly<Record<string, string | number>>
    /** Absent means `Filesystem`. */
    readonly volumeMode?: string
    readonly volumeAttributesClassName?: string
    readonly [source: string]: unknown
  }
  readonly status?: { readonly phase?: string }
}

/** `v1.PersistentVolumeClaim`, cut. */
export interface PersistentVolumeClaim {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly volumeName?: string
    readonly storageClassName?: string
    readonly accessModes?: readonly string[]
    readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> }
    readonly selector?: LabelSelector
    /** Absent means `Filesystem`. */
    readonly volumeMode?: string
    readonly volumeAttributesClassName?: string
    readonly [field: string]: unknown
  }
  readonly status?: { readonly phase?: string }
}

/** `storage/v1.StorageClass`, cut. */
export interface StorageClass {
  readonly metadata: ObjectMeta
  readonly provisioner: string
  readonly volumeBindingMode?: string
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
  }[]
  readonly parameters?: Readonly<Record<string, string>>
}

/** `storage/v1.CSINode`, cut. */
export interface CsiNode {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly drivers?: readonly {
      readonly name: string
      readonly nodeID?: string
      readonly allocatable?: { readonly count?: number }
      readonly topologyKeys?: readonly string[] | null
    }[]
  }
}

/** `storage/v1.CSIDriver`, cut. */
export interface CsiDriver {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly attachRequired?: boolean
    readonly storageCapacity?: boolean
    readonly [field: string]: unknown
  }
}

/** `storage/v1.CSIStorageCapacity`, cut. */
export interface CsiStorageCapacity {
  readonly metadata: ObjectMeta
  readonly storageClassName: string
  readonly nodeTopology?: LabelSelector
  readonly capacity?: string | number
  readonly maximumVolumeSize?: string | number
}

/** `storage/v1.VolumeAttachment`, cut. */
export interface VolumeAttachment {
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly attacher: string
    readonly nodeName: string
    readonly source: { readonly persistentVolumeName?: string; readonly inlineVolumeSpec?: unknown }
  }
  readonly status?: { readonly attached?: boolean }
}
