import { countArgs, idPrefixOf } from './sources/count/count-args.ts'
import { isSelective, type OfferConfig } from './offer/offer-config.ts'
import { pathGlobArgs } from './sources/path-glob/path-glob-args.ts'

/** The part of a resource entry that {@link findCollisions} reads. */
interface Entry extends Partial<OfferConfig> {
  readonly name: string
  readonly source: string
  readonly args?: unknown
}

/** Two resources that would offer the same ids or container paths. */
export interface Collision {
  /** Path of the later key, below `resources`. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * Returns the collisions between resources that the configuration alone shows. Others appear when devices are found;
 * those devices are unhealthy.
 */
export function findCollisions(resources: readonly Entry[]): readonly Collision[] {
  const firstByClaim = new Map<string, number>()
  const collisions: Collision[] = []
  for (const [index, entry] of resources.entries()) {
    for (const { key, what, hint } of claimsOf(entry)) {
      const claim = `${key} ${what}`
      const first = firstByClaim.get(claim)
      if (first === undefined) firstByClaim.set(claim, index)
      else if (first !== index) {
        const message = `resources[${first}] has ${what} too; ${hint}`
        collisions.push({ path: [index, 'args', key], message })
      }
    }
  }
  return collisions
}

interface Claim {
  readonly key: string
  readonly what: string
  readonly hint: string
}

function claimsOf(entry: Entry): readonly Claim[] {
  const { name, source, args } = entry
  // Which devices a resource with include or exclude offers is known when they are found.
  const isPart = isSelective(entry)
  if (source === 'count') {
    const { data } = countArgs.safeParse(args ?? {})
    const hint = 'device ids are unique on a node, so set another idPrefix'
    return data === undefined || isPart
      ? []
      : [{ key: 'idPrefix', what: `the ids ${idPrefixOf(data, name)}-0, …`, hint }]
  }
  const { data } = source === 'path-glob' ? pathGlobArgs.safeParse(args ?? {}) : {}
  if (data === undefined) return []
  const { paths, containerPath } = data
  const claims = (isPart ? [] : paths).map((path) => ({
    key: 'paths',
    what: `the path ${path}`,
    hint: 'a path belongs to one resource; use slots to share it',
  }))
  if (containerPath === undefined || containerPath.includes('{name}')) return claims
  const hint = 'a container with both resources would get one of the two devices'
  return [...claims, { key: 'containerPath', what: `the container path ${containerPath}`, hint }]
}
