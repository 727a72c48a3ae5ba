import { createHash } from 'node:crypto'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Of } from '../artefact.ts'
import { gzipFile, tarFolder } from '../pack-folder.ts'

/** A blob and its description, as OCI manifests refer to it. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** A layer: the compressed blob, and the digest of its contents. */
export interface Layer extends Descriptor {
  readonly diffId: string
}

/** A folder that becomes an OCI image layout. */
export interface OciLayout {
  /** Adds the contents of a folder as a layer. */
  addLayer(folder: string): Promise<Layer>
  /** Adds a JSON document. */
  addJson(mediaType: string, value: object): Promise<Descriptor>
  /** Writes the files that name the images. */
  finish(images: readonly NamedImage[]): Promise<void>
}

/** An image with a name in the layout. */
export interface NamedImage {
  /** With registry, repository and tag. */
  readonly name: string
  readonly index: Descriptor
  /** The image of each platform, for engines that load only one. */
  readonly platforms: readonly {
    readonly arch: string
    readonly config: Descriptor
    readonly layers: readonly Layer[]
  }[]
}

/** Starts an OCI image layout in an empty folder. */
export async function createOciLayout(folder: string, epochSeconds: number): Promise<OciLayout> {
  const blobs = join(folder, 'blobs', 'sha256')
  await mkdir(blobs, { recursive: true })
  return {
    async addLayer(contents) {
      const tar = join(folder, 'layer.tar')
      await tarFolder(contents, tar, epochSeconds)
      const diffId = `sha256:${await sha256Of(tar)}`
      const packed = await gzipFile(tar)
      const [sha256, { size }] = await Promise.all([sha256Of(packed), stat(packed)])
      await rename(packed, join(blobs, sha256))
      return { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${sha256}`, size, diffId }
    },
    async addJson(mediaType, value) {
      const text = JSON.stringify(value)
      const sha256 = createHash('sha256').update(text).digest('hex')
      await writeFile(join(blobs, sha256), text)
      return { mediaType, digest: `sha256:${sha256}`, size: Buffer.byteLength(text) }
    },
    async finish(images) {
      await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
      const manifests = images.map(({ name, index }) => ({
        ...index,
        annotations: {
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
        },
      }))
      const index = { schemaVersion: 2, mediaType: INDEX, manifests }
      await writeFile(join(folder, 'index.json'), JSON.stringify(index))
      await writeFile(join(folder, 'manifest.json'), JSON.stringify(images.flatMap(dockerManifests)))
    },
  }
}

/** Media type of a list of images for several platforms. */
export const INDEX = 'application/vnd.oci.image.index.v1+json'

/** Describes an image for `docker load` of engines without a store for several platforms. */
function dockerManifests({ name, platforms }: NamedImage): readonly object[] {
  const path = ({ digest }: Descriptor): string => `blobs/sha256/${digest.replace('sha256:', '')}`
  return platforms.map(({ arch, config, layers }) => ({
    Config: path(config),
    RepoTags: [`${name}-${arch}`],
    Layers: layers.map(path),
  }))
}
