import type { ResourceSlice } from '../../facts/fact-kinds.ts'
import { isReady } from '../../facts/is-ready.ts'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** The drivers of dynamic resource allocation: those with ResourceSlices, or that a DeviceClass or a claim names. */
export const draDrivers = survey({
  kind: 'dra-drivers',
  title: 'DRA drivers',
  needs: ['nodes', 'resourceSlices', 'deviceClasses', 'resourceClaims'],
  find({ nodes, resourceSlices, deviceClasses, resourceClaims }, context) {
    const classesOf = Map.groupBy(
      deviceClasses.flatMap((deviceClass) =>
        driversInSelectors(deviceClass.spec?.selectors ?? []).map((driver) => ({ driver, deviceClass })),
      ),
      ({ driver }) => driver,
    )
    const claimsOf = Map.groupBy(
      resourceClaims.flatMap((claim) =>
        (claim.status?.allocation?.devices?.results ?? []).map(({ driver = '' }) => ({ driver, claim })),
      ),
      ({ driver }) => driver,
    )
    const slicesOf = Map.groupBy(resourceSlices, ({ spec }) => spec.driver)
    const names = new Set([...slicesOf.keys(), ...classesOf.keys(), ...claimsOf.keys()])
    return [...names]
      .filter((name) => name !== '')
      .map((name) => {
        const slices = slicesOf.get(name) ?? []
        const classes = (classesOf.get(name) ?? []).map(({ deviceClass }) => deviceClass)
        const ownNodes = new Set(slices.map(({ spec }) => spec.nodeName))
        const problems = [
          ...incompletePools(slices),
          ...nodes
            .filter((node) => ownNodes.has(node.metadata.name) && !isReady(node))
            .map((node) => `Node ${node.metadata.name ?? ''}, which has its devices, is not ready.`),
        ]
        const devices = slices.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0)
        return {
          name,
          ...usersOf(
            (claimsOf.get(name) ?? []).flatMap(({ claim }) => [
              `ResourceClaim ${placeOf(claim)}`,
              ...(claim.status?.reservedFor ?? []).map(
                (user) => `pod ${claim.metadata.namespace ?? 'default'}/${user.name ?? ''}`,
              ),
            ]),
            context,
            'resourceClaims',
          ),
          health:
            problems.length > 0 || (slices.length === 0 && !context.unread.has('resourceSlices'))
              ? 'unhealthy'
              : slices.length === 0
                ? 'unknown'
                : 'healthy',
          evidence: [
            slices.length === 0
              ? context.unread.has('resourceSlices')
                ? 'Its ResourceSlices and devices are unknown.'
                : 'No ResourceSlice names it, so it offers no device.'
              : `${slices.length} ResourceSlices with ${devices} devices name it.`,
            ...(classes.length > 0
              ? [
                  `DeviceClasses select it: ${classes
                    .map(({ metadata }) => metadata.name ?? '')
                    .toSorted()
                    .join(', ')}.`,
                ]
              : []),
            ...classes.flatMap(({ metadata, spec }) =>
              spec?.extendedResourceName === undefined
                ? []
                : [`Pods can also request ${spec.extendedResourceName} (DeviceClass ${metadata.name ?? ''}).`],
            ),
            ...problems,
          ],
        }
      })
  },
})

/** Returns the drivers that selectors compare with: `device.driver == "gpu.example.com"`. */
function driversInSelectors(
  selectors: readonly { readonly cel?: { readonly expression?: string } }[],
): readonly string[] {
  const texts = selectors.map(({ cel }) => cel?.expression ?? '')
  const names = texts.flatMap((text) => [...text.matchAll(/device\.driver\s*==\s*["']([^"']+)["']/g)])
  return [...new Set(names.map(([, name = '']) => name))]
}

/** A pool is complete when its newest generation has as many slices as each of them says. */
function incompletePools(slices: readonly ResourceSlice[]): readonly string[] {
  return [...Map.groupBy(slices, ({ spec }) => spec.pool?.name ?? '')].flatMap(([pool, members]) => {
    const newest = Math.max(...members.map(({ spec }) => spec.pool?.generation ?? 0))
    const current = members.filter(({ spec }) => (spec.pool?.generation ?? 0) === newest)
    const expected = current[0]?.spec.pool?.resourceSliceCount ?? current.length
    return current.length === expected
      ? []
      : [`Pool ${pool} is incomplete: ${current.length} of ${expected} ResourceSlices of its newest generation exist.`]
  })
}
