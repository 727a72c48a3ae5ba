/** A call frame of a CPU profile. Lines and columns begin with 0. */
export interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** A CPU profile as `node --cpu-prof` writes it. Times are microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: CallFrame
    readonly children?: readonly number[]
  }[]
  readonly startTime: number
  /** The node of each sample. */
  readonly samples: readonly number[]
  /** The time from the sample before it. */
  readonly timeDeltas: readonly number[]
}

/** A function, called by the functions above it, with all of its time. */
export interface StackFrame {
  readonly name: string
  /** Time of the function and of all that it called, in microseconds. */
  us: number
  readonly callees: Map<string, StackFrame>
}

/** The process waits for work in it. */
const IDLE = '(idle)'

/**
 * Merges the samples of a profile into one tree: calls from the same stack of functions are one frame.
 *
 * @param nameOf - Returns the name of a call frame; undefined for one that is left out, so that its callees belong to its caller.
 * @param span - Only samples at or after the first and before the second of these times, in microseconds since the start of the profile, count.
 * @returns The root, without the time in which the process was idle.
 */
export function mergeStacks(
  { nodes, samples, timeDeltas }: CpuProfile,
  nameOf: (frame: CallFrame) => string | undefined,
  span: { readonly fromUs: number; readonly toUs: number },
): StackFrame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const names = new Map<number, string | undefined>()
  const nameOfNode = (id: number): string | undefined => {
    if (!names.has(id)) {
      const frame = byId.get(id)?.callFrame
      names.set(id, frame === undefined || frame.functionName === '(root)' ? undefined : nameOf(frame))
    }
    return names.get(id)
  }
  const stackOf = (leaf: number): readonly string[] => {
    const stack: string[] = []
    for (let id: number | undefined = leaf; id !== undefined; id = callers.get(id)) {
      const name = nameOfNode(id)
      if (name !== undefined) stack.push(name)
    }
    return stack.toReversed()
  }
  const root: StackFrame = { name: 'all', us: 0, callees: new Map() }
  let sinceUs = 0
  for (const [i, leaf] of samples.entries()) {
    const us = timeDeltas[i] ?? 0
    sinceUs += us
    if (sinceUs < span.fromUs || sinceUs >= span.toUs || byId.get(leaf)?.callFrame.functionName === IDLE) continue
    addStack(root, stackOf(leaf), us)
  }
  return root
}

function addStack(root: StackFrame, stack: readonly string[], us: number): void {
  root.us += us
  let frame = root
  for (const name of stack) {
    let callee = frame.callees.get(name)
    if (callee === undefined) {
      callee = { name, us: 0, callees: new Map() }
      frame.callees.set(name, callee)
    }
    callee.us += us
    frame = callee
  }
}
