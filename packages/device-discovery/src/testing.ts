/** Fixtures of device sources: trees of /sys and /dev, and inventories under virtual time. */
export { hostTree, statOfTree, unpackedTree, writeHostTree, type HostTree } from './testing/host-tree.ts'
export { followSource, type FollowedSource } from './testing/follow-source.ts'
