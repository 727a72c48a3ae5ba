import { isApiStatus } from '@berth/k8s-client'

/** Resolves to `allowed`, or to the message with which the server refuses a write. @throws Any other error. */
export async function admissionOutcome(write: Promise<unknown>): Promise<string> {
  try {
    await write
    return 'allowed'
  } catch (error) {
    if (isApiStatus(error, 422) || isApiStatus(error, 403)) return error.message
    throw error
  }
}

/** A change of a node's status that no advertiser may make, and a part of the message of the refusal. */
export interface RefusedChange {
  readonly it: string
  readonly body: object
  readonly says: string
}

/** Changes of a node that has a label zone, cpu and one `vendor.io/fpga` of another owner. */
export const refusedNodeChanges: readonly RefusedChange[] = [
  { it: 'a name that is not declared', body: { status: { capacity: { 'example.com/new': '1' } } }, says: 'declares' },
  { it: 'the amount of cpu', body: { status: { allocatable: { cpu: '64' } } }, says: 'declares' },
  { it: 'a device of another owner', body: { status: { capacity: { 'vendor.io/fpga': null } } }, says: 'remove from' },
  {
    it: 'the kubelet port',
    body: { status: { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } },
    says: 'only capacity',
  },
  { it: 'a label', body: { metadata: { labels: { zone: 'b' } } }, says: 'its own annotations of the metadata' },
]
