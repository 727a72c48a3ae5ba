import { createHash } from 'node:crypto'
import type { DebianPackage } from '../images/debian-package.ts'
import type { BundledPackage } from './bundled-packages.ts'

/** The contents of a release. */
export interface ReleaseContents {
  readonly version: string
  readonly epochSeconds: number
  readonly bundled: readonly BundledPackage[]
  /** The packages of the image's base, and their suite. */
  readonly base: { readonly suite: string; readonly packages: readonly DebianPackage[] }
  readonly nodeVersion: string
}

/** A component of a CycloneDX document. */
export interface Component {
  readonly type: 'library' | 'platform'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly object[]
  readonly hashes?: readonly object[]
}

/** A CycloneDX document. */
export interface BillOfMaterials {
  readonly serialNumber: string
  readonly components: readonly Component[]
}

/** Returns the software bill of materials of a release, as CycloneDX 1.6. The same contents give the same document. */
export function billOfMaterials(contents: ReleaseContents): BillOfMaterials {
  const { version, epochSeconds, bundled, base, nodeVersion } = contents
  const components = [
    component('platform', { name: 'node', version: nodeVersion, purl: `pkg:generic/node@${nodeVersion}` }),
    ...base.packages.flatMap((one) => debianComponents(one, base.suite)),
    ...bundled.map(npmComponent),
  ]
  const purl = `pkg:generic/berth@${version}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, components]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(epochSeconds * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': purl, name: 'berth', version, purl },
    },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((one) => one['bom-ref']) }],
  } as BillOfMaterials
}

function component(type: Component['type'], fields: Omit<Component, 'type' | 'bom-ref'>): Component {
  return { type, 'bom-ref': fields.purl, ...fields }
}

function npmComponent({ name, version, licence, integrity }: BundledPackage): Component {
  return component('library', {
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`,
    licenses: [licence.includes(' ') ? { expression: licence } : { license: { id: licence } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
  })
}

function debianComponents({ name, version, sha256 }: DebianPackage, suite: string): readonly Component[] {
  return Object.entries(sha256).map(([arch, content]) =>
    component('library', {
      name,
      version,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=${suite}`,
      hashes: [{ alg: 'SHA-256', content }],
    }),
  )
}

/** A UUID of version 8 (RFC 9562) that depends only on a text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
