import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { artefactOf } from '../artefact.ts'
import { tarFolder } from '../pack-folder.ts'
import type { ReleaseContext, ReleaseStep } from '../step.ts'
import { checkImages } from './check-images.ts'
import { imageEnvironment, imageLabels, imageSpecs, type ImageSpec } from './image-spec.ts'
import { fillApps, fillBase, fillKubeScheduler, fillNode } from './layer-folders.ts'
import { createOciLayout, INDEX, type Layer, type NamedImage, type OciLayout } from './oci-layout.ts'

/** Repository in the archive. It exists in no registry, so that an engine cannot pull another image by this name. */
const REPOSITORY = 'berth.local/berth'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const architectures = ['amd64', 'arm64'] as const
type Arch = (typeof architectures)[number]

/** Returns the file name of the archive with all images. */
export function imageArchiveName(version: string): string {
  return `berth-images_${version}.oci.tar`
}

/** Builds the images without a container engine: layers of pinned Debian packages, npm's Node and the bundles. */
export const imagesStep: ReleaseStep = {
  name: 'images',
  summary: 'images of all apps for amd64 and arm64',
  async build(context) {
    const { out, workDir, version, epochSeconds, log } = context
    const folder = join(workDir, 'images')
    const layout = await createOciLayout(folder, epochSeconds)
    const layers = await addLayers(layout, context)
    const images: NamedImage[] = []
    for (const spec of imageSpecs) images.push(await addImage(layout, spec, layers, context))
    await layout.finish(images)
    const file = join(out, imageArchiveName(version))
    await tarFolder(folder, file, epochSeconds)
    await rm(folder, { recursive: true })
    for (const { name, index } of images) log(`${name}@${index.digest}`)
    const note = images.map(({ name, index }) => `${name}@${index.digest}`).join(' ')
    return [await artefactOf(file, { note })]
  },
  check: (context) => checkImages(join(context.out, imageArchiveName(context.version)), context),
}

interface Layers {
  readonly platform: Readonly<Record<Arch, readonly Layer[]>>
  readonly apps: Layer
  readonly kubeScheduler: Layer
}

async function addLayers(layout: OciLayout, context: ReleaseContext): Promise<Layers> {
  const add = async (name: string, fill: (folder: string) => Promise<void>): Promise<Layer> => {
    context.log(`layer ${name}`)
    const folder = join(context.workDir, 'layer')
    await mkdir(folder)
    await fill(folder)
    const layer = await layout.addLayer(folder)
    await rm(folder, { recursive: true })
    return layer
  }
  const platform = async (arch: Arch): Promise<readonly Layer[]> => [
    await add(`debian ${arch}`, (folder) => fillBase(folder, arch, context)),
    await add(`node ${arch}`, (folder) => fillNode(folder, arch, context)),
  ]
  return {
    platform: { amd64: await platform('amd64'), arm64: await platform('arm64') },
    apps: await add('apps', (folder) => fillApps(folder, context)),
    kubeScheduler: await add('kube-scheduler', fillKubeScheduler),
  }
}

async function addImage(
  layout: OciLayout,
  spec: ImageSpec,
  layers: Layers,
  { version, epochSeconds }: ReleaseContext,
): Promise<NamedImage> {
  const created = new Date(epochSeconds * 1000).toISOString()
  const platforms = []
  const manifests = []
  for (const arch of architectures) {
    const own = [...layers.platform[arch], layers.apps, ...(spec.hasKubeScheduler ? [layers.kubeScheduler] : [])]
    const config = await layout.addJson(CONFIG, {
      created,
      architecture: arch,
      os: 'linux',
      config: {
        User: spec.user,
        Env: imageEnvironment,
        Entrypoint: spec.entrypoint,
        Cmd: spec.cmd,
        WorkingDir: '/app',
        Labels: imageLabels(version),
      },
      rootfs: { type: 'layers', diff_ids: own.map(({ diffId }) => diffId) },
      history: own.map(() => ({ created, created_by: 'npm run release' })),
    })
    const descriptors = own.map(({ mediaType, digest, size }) => ({ mediaType, digest, size }))
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: descriptors }
    manifests.push({ ...(await layout.addJson(MANIFEST, manifest)), platform: { os: 'linux', architecture: arch } })
    platforms.push({ arch, config, layers: own })
  }
  const index = await layout.addJson(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests })
  return { name: `${REPOSITORY}:${version}${spec.variant}`, index, platforms }
}
