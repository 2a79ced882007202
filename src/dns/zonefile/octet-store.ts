/**
 * Octets that grow at the end: what has to be kept of chunks whose memory belongs to the caller.
 */
const firstCapacity = 4096;

export class OctetStore {
  private memory: Buffer = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  append(octets: Buffer, start: number, end: number): void {
    this.makeRoom(end - start);
    octets.copy(this.memory, this.used, start, end);
    this.used += end - start;
  }

  appendOctet(octet: number): void {
    this.makeRoom(1);
    this.memory[this.used++] = octet;
  }

  private makeRoom(octets: number): void {
    const needed = this.used + octets;
    if (needed <= this.memory.length) return;
    const larger = Buffer.alloc(Math.max(firstCapacity, needed, 2 * this.memory.length));
    this.memory.copy(larger, 0, 0, this.used);
    this.memory = larger;
  }

  clear(): void {
    this.used = 0;
  }

  /** A view, good until the next change. */
  view(): Buffer {
    return this.memory.subarray(0, this.used);
  }
}
