import { join } from 'node:path'
import { CannotRunError } from './cannot-run.ts'
import { runCommand } from './run-command.ts'

const engines = ['docker', 'podman'] as const
/** The command of a container engine. */
export type EngineName = (typeof engines)[number]

/** Facts about this machine. */
export interface EngineFacts {
  /** Engines whose `info` succeeds. */
  readonly answering: readonly EngineName[]
  readonly isLinux: boolean
  readonly isRoot: boolean
  /** Whether `apt-get` is installed. */
  readonly hasApt: boolean
  /** Whether `dockerd` is installed. */
  readonly hasDockerd: boolean
}

/** The choice of an engine: use a running one, start Debian's Docker, or report what to install. */
export type EngineDecision =
  | { readonly kind: 'use'; readonly engine: EngineName }
  | { readonly kind: 'start' }
  | { readonly kind: 'missing'; readonly message: string }

/** Chooses the container engine. An engine is started only if none responds. */
export function decideEngine({ answering, isLinux, isRoot, hasApt, hasDockerd }: EngineFacts): EngineDecision {
  const engine = engines.find((name) => answering.includes(name))
  if (engine !== undefined) return { kind: 'use', engine }
  if (isLinux && isRoot && (hasDockerd || hasApt)) return { kind: 'start' }
  const obstacle = !isLinux
    ? 'this system is not Linux'
    : !isRoot
      ? 'this user is not root'
      : 'neither dockerd nor apt-get is installed'
  return {
    kind: 'missing',
    message: `No container engine responds, and none can be started here: ${obstacle}. Install Docker (docs.docker.com/engine/install) or Podman (podman.io), start it, and check that "docker info" or "podman info" works for this user. Or test an existing cluster with --provider existing.`,
  }
}

/**
 * Finds a running container engine or starts one.
 *
 * @throws CannotRunError saying what to install if none is found and none can be started.
 */
export async function findEngine(log: (text: string) => void): Promise<EngineName> {
  const works = async (program: string, ...args: readonly string[]): Promise<boolean> =>
    (await runCommand(program, args, { timeoutMs: 20_000 })).status === 0
  const answers = await Promise.all(engines.map(async (name) => ((await works(name, 'info')) ? [name] : [])))
  const decision = decideEngine({
    answering: answers.flat(),
    isLinux: process.platform === 'linux',
    isRoot: process.getuid?.() === 0,
    hasApt: await works('apt-get', '--version'),
    hasDockerd: await works('dockerd', '--version'),
  })
  if (decision.kind === 'use') return decision.engine
  if (decision.kind === 'missing') throw new CannotRunError(decision.message)
  log('no container engine responds: starting Debian’s Docker')
  const script = join(import.meta.dirname, '..', 'node-image', 'docker-up')
  const { status, stdout, stderr } = await runCommand(script, [], { timeoutMs: 10 * 60_000, onOutput: log })
  if (status === 0) return 'docker'
  const { message } = decideEngine({
    answering: [],
    isLinux: true,
    isRoot: true,
    hasApt: false,
    hasDockerd: false,
  }) as {
    message: string
  }
  throw new CannotRunError(`${(stderr || stdout).trim().slice(-1000)}\n${message}`)
}
