import { ContainerAllocateResponse } from '@berth/kubelet-api'
import { createHash } from 'node:crypto'
import type { ContainerAllocation } from './pod-devices.ts'

/** The state of the device manager that survives a restart of the kubelet. */
export interface DeviceCheckpoint {
  readonly allocations: readonly ContainerAllocation[]
  /** Resources with a registered plugin. */
  readonly resourceNames: readonly string[]
}

interface CheckpointFile {
  readonly Data: {
    readonly PodDeviceEntries: readonly {
      readonly PodUID: string
      readonly ContainerName: string
      readonly ResourceName: string
      readonly DeviceIDs: Readonly<Record<string, readonly string[]>>
      readonly AllocResp: string
    }[]
    readonly RegisteredDevices: Readonly<Record<string, readonly string[]>>
  }
  readonly Checksum: number
}

const checksum = (data: CheckpointFile['Data']): number =>
  createHash('sha256').update(JSON.stringify(data)).digest().readUInt32BE(0)

/** Returns the text of a checkpoint file. It has the kubelet's fields, all ids under NUMA node -1, and its own checksum. */
export function encodeCheckpoint(
  allocations: readonly ContainerAllocation[],
  registered: ReadonlyMap<string, readonly string[]>,
): string {
  const data: CheckpointFile['Data'] = {
    PodDeviceEntries: allocations.map(({ podUid, container, resourceName, deviceIds, response }) => ({
      PodUID: podUid,
      ContainerName: container,
      ResourceName: resourceName,
      DeviceIDs: { '-1': deviceIds },
      AllocResp: Buffer.from(ContainerAllocateResponse.encode(response).finish()).toString('base64'),
    })),
    RegisteredDevices: Object.fromEntries(registered),
  }
  return JSON.stringify({ Data: data, Checksum: checksum(data) })
}

/** Parses the text of a checkpoint file. Returns undefined when it is corrupt. */
export function decodeCheckpoint(text: string): DeviceCheckpoint | undefined {
  try {
    const file = JSON.parse(text) as CheckpointFile
    if (checksum(file.Data) !== file.Checksum) return undefined
    return {
      allocations: file.Data.PodDeviceEntries.map((entry) => ({
        podUid: entry.PodUID,
        container: entry.ContainerName,
        resourceName: entry.ResourceName,
        deviceIds: Object.values(entry.DeviceIDs).flat(),
        response: ContainerAllocateResponse.decode(Buffer.from(entry.AllocResp, 'base64')),
      })),
      resourceNames: Object.keys(file.Data.RegisteredDevices),
    }
  } catch {
    return undefined
  }
}
