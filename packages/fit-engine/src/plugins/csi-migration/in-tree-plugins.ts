import type { PersistentVolume, Volume } from '@berth/types'
import { ebsVolumeId, gceRegionOf } from './cloud-volume-ids.ts'

/** Volume sources that the CSI translation library supports, reduced to the fields that identify the volume. */
interface InTreeSources {
  readonly gcePersistentDisk?: { readonly pdName?: string }
  readonly awsElasticBlockStore?: { readonly volumeID?: string }
  readonly cinder?: { readonly volumeID?: string }
  readonly azureDisk?: { readonly diskURI?: string; readonly kind?: string }
  readonly portworxVolume?: { readonly volumeID?: string }
}

/** A volume's handle at its CSI driver, or why it has none. */
export type Handle =
  | { readonly kind: 'handle'; readonly handle: string }
  | { readonly kind: 'problem'; readonly problem: string }

/** A volume plugin that was part of Kubernetes and was replaced by a CSI driver. */
export interface InTreePlugin {
  /** Name of the plugin, which storage classes also use as the name of its provisioner. */
  readonly name: string
  /** Name of the CSI driver. */
  readonly driver: string
  /** Field of a volume, or of a persistent volume's spec, that uses the plugin. */
  readonly source: string
  /** The driver's zone label; absent when node affinities of volumes need no translation. */
  readonly topologyKey?: string
  /** Returns the handle of a volume. Absent: volumes do not count towards limits and are not translated. */
  readonly handleOf?: (sources: InTreeSources, persistentVolume: PersistentVolume | undefined) => Handle
}

const ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone'
const ZONE = 'topology.kubernetes.io/zone'
const UNKNOWN = 'UNSPECIFIED'

const handle = (text: string | undefined): Handle => ({ kind: 'handle', handle: text ?? '' })

function gceHandle({ gcePersistentDisk }: InTreeSources, persistentVolume: PersistentVolume | undefined): Handle {
  const labels = persistentVolume?.metadata.labels
  const zones = (labels?.[ZONE_BETA] || labels?.[ZONE] || '').split('__')
  const disk = gcePersistentDisk?.pdName ?? ''
  if (zones.length === 1) return handle(`projects/${UNKNOWN}/zones/${zones[0] || UNKNOWN}/disks/${disk}`)
  const region = gceRegionOf(zones)
  return region === undefined
    ? { kind: 'problem', problem: `zones ${zones.join(', ')} are not of one region` }
    : handle(`projects/${UNKNOWN}/regions/${region}/disks/${disk}`)
}

function ebsHandle({ awsElasticBlockStore }: InTreeSources): Handle {
  const text = awsElasticBlockStore?.volumeID ?? ''
  const id = ebsVolumeId(text)
  return id === undefined ? { kind: 'problem', problem: `"${text}" names no EBS volume` } : handle(id)
}

function azureHandle({ azureDisk }: InTreeSources): Handle {
  const { kind, diskURI } = azureDisk ?? {}
  return kind == null || kind.toLowerCase() === 'managed'
    ? handle(diskURI)
    : { kind: 'problem', problem: `Azure disks of kind ${kind} have no CSI driver` }
}

const plugins: readonly InTreePlugin[] = [
  {
    name: 'kubernetes.io/gce-pd',
    driver: 'pd.csi.storage.gke.io',
    source: 'gcePersistentDisk',
    topologyKey: 'topology.gke.io/zone',
    handleOf: gceHandle,
  },
  {
    name: 'kubernetes.io/aws-ebs',
    driver: 'ebs.csi.aws.com',
    source: 'awsElasticBlockStore',
    topologyKey: 'topology.ebs.csi.aws.com/zone',
    handleOf: ebsHandle,
  },
  {
    name: 'kubernetes.io/cinder',
    driver: 'cinder.csi.openstack.org',
    source: 'cinder',
    topologyKey: 'topology.cinder.csi.openstack.org/zone',
    handleOf: ({ cinder }) => handle(cinder?.volumeID),
  },
  { name: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com', source: 'azureDisk', handleOf: azureHandle },
  {
    name: 'kubernetes.io/portworx-volume',
    driver: 'pxd.portworx.com',
    source: 'portworxVolume',
    handleOf: ({ portworxVolume }) => handle(portworxVolume?.volumeID),
  },
  { name: 'kubernetes.io/azure-file', driver: 'file.csi.azure.com', source: 'azureFile' },
  { name: 'kubernetes.io/vsphere-volume', driver: 'csi.vsphere.vmware.com', source: 'vsphereVolume' },
]

/**
 * Returns the in-tree plugin of a pod's volume or a persistent volume's spec; undefined when there is none.
 *
 * @see k8s.io/csi-translation-lib translate.go (v1.36)
 */
export function inTreePluginOf(source: Volume | PersistentVolume['spec']): InTreePlugin | undefined {
  return plugins.find((plugin) => source[plugin.source] != null)
}

/** Returns the in-tree plugin with this name; undefined when there is none. */
export function inTreePluginNamed(name: string): InTreePlugin | undefined {
  return plugins.find((plugin) => plugin.name === name)
}

/** Returns the handle of a pod's volume at the plugin's driver; undefined when such volumes are not translated. */
export function inlineHandle({ handleOf }: InTreePlugin, volume: Volume): Handle | undefined {
  return handleOf?.(volume, undefined)
}

/** Returns the handle of a persistent volume at the plugin's driver; undefined when such volumes are not translated. */
export function persistentHandle({ handleOf }: InTreePlugin, volume: PersistentVolume): Handle | undefined {
  return handleOf?.(volume.spec as InTreeSources, volume)
}
