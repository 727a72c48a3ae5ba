/** The extender in memory, for fault runs in virtual time. */
export { startVirtualExtender, type VirtualExtender } from './testing/virtual-extender.ts'
