/** A device that may lie on others, as a VLAN lies on an interface and a logical volume on a disk. */
export interface StackedDevice {
  readonly name: string
  /** Names of the devices directly below it. */
  readonly below: readonly string[]
}

/**
 * Returns the devices that lie on no other of the list, directly or through devices that are not in it, so that no
 * hardware counts twice.
 *
 * @param all - Every device of the host.
 */
export function lowestDevices<Device extends StackedDevice>(
  devices: readonly Device[],
  all: readonly StackedDevice[],
): readonly Device[] {
  const listed = new Set(devices.map(({ name }) => name))
  const belowOf = new Map(all.map(({ name, below }) => [name, below]))
  const liesOnListed = (name: string, seen: ReadonlySet<string>): boolean =>
    (belowOf.get(name) ?? []).some(
      (lower) => !seen.has(lower) && (listed.has(lower) || liesOnListed(lower, new Set([...seen, lower]))),
    )
  return devices.filter(({ name }) => !liesOnListed(name, new Set([name])))
}
