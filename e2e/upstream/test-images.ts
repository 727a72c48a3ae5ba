import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDebian } from '../image/app-image.ts'
import { loadImage, type LoadImageOptions } from '../image/load-image.ts'
import { runOrThrow } from '../cluster/run-command.ts'

const REGISTRY = 'registry.k8s.io/e2e-test-images'
/**
 * The names that upstream's suite expects. All are one image here: Debian with agnhost has what the specs call in each. The
 * specs only start nginx, so it is enough that its container runs.
 */
const names = [`${REGISTRY}/agnhost:2.63.0`, `${REGISTRY}/busybox:1.37.0-1`, `${REGISTRY}/nginx:1.15-4`] as const

/** Options of {@link loadTestImages}. */
export interface TestImageOptions extends Omit<LoadImageOptions, 'tag'> {
  /** Path of the program agnhost. */
  readonly agnhost: string
  readonly log: (text: string) => void
}

/** Builds the images that upstream's specs run and loads them onto the nodes, for a cluster that can pull no image. */
export async function loadTestImages({ agnhost, log, ...target }: TestImageOptions): Promise<void> {
  const { engine } = target
  const context = await mkdtemp(join(tmpdir(), 'berth-upstream-'))
  try {
    await copyFile(agnhost, join(context, 'agnhost'))
    const lines = [
      `FROM ${await findDebian(engine)}`,
      'COPY agnhost /agnhost',
      'RUN ln -s agnhost /agnhost-2 && mkdir /uploads',
      'ENTRYPOINT ["/agnhost"]',
      'CMD ["pause"]',
    ]
    await writeFile(join(context, 'Dockerfile'), `${lines.join('\n')}\n`)
    const tags = names.flatMap((name) => ['-t', name])
    await runOrThrow(engine, ['build', '-q', ...tags, context], { env: { DOCKER_BUILDKIT: '0' }, timeoutMs: 300_000 })
  } finally {
    await rm(context, { recursive: true })
  }
  for (const tag of names) {
    const loaded = await loadImage({ ...target, tag })
    if (loaded.length > 0) log(`loaded ${tag} into ${loaded.join(', ')}`)
  }
}
