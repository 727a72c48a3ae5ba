import type { BundledPackage } from '../sbom/bundled-packages.ts'

/** Licences of packages that a release may contain: each allows to redistribute it with a notice. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
])

/** Returns the packages whose licence is not allowed, with their licence. */
export function refusedLicences(packages: readonly BundledPackage[]): readonly string[] {
  return packages
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, version, licence }) => `${name}@${version} (${licence || 'none'})`)
}

/** Of a choice (`MIT OR GPL-2.0`) one licence must be allowed, of a combination (`MIT AND ISC`) all. Nesting is refused. */
function isAllowed(licence: string): boolean {
  const alternatives = licence.replace(/^\((.*)\)$/, '$1').split(' OR ')
  return alternatives.some((one) => one.split(' AND ').every((part) => allowed.has(part)))
}
