/** The advertiser in memory, for fault runs in virtual time. */
export { extendedResources } from './objects/definition/object-api.ts'
export { startVirtualAdvertiser, type VirtualAdvertiser } from './testing/virtual-advertiser.ts'
