import { createFrameQueue, type FrameQueue } from './frame-queue.ts'

/** The frames of this page. */
export const frames: FrameQueue = createFrameQueue((work) => void requestAnimationFrame(work))
