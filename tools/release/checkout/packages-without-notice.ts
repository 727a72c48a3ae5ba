import type { BundledPackage } from '../sbom/bundled-packages.ts'

/** Returns the packages that no text has, as `bundled-notices.ts` heads them: with name and version. */
export function packagesWithoutNotice(
  packages: readonly Pick<BundledPackage, 'name' | 'version'>[],
  texts: readonly string[],
): readonly string[] {
  const headed = new Set(texts.flatMap((text) => [...text.matchAll(/^(\S+@\S+) \(.*\)$/gm)].map(([, name]) => name)))
  return packages.map(({ name, version }) => `${name}@${version}`).filter((name) => !headed.has(name))
}
