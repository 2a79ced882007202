/** A file that is chosen or dropped, as its text. */

interface FileFieldProps {
  readonly take: (text: string, name: string) => void;
}

export function FileField({ take }: FileFieldProps) {
  const read = async (files: FileList | null | undefined) => {
    const [first] = files ?? [];
    if (first !== undefined) take(await first.text(), first.name);
  };
  return (
    <label
      class="filter drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void read(event.dataTransfer?.files);
      }}
    >
      <span>Choose a zone file, drop it here, or paste its text below</span>
      <input type="file" onChange={(event) => void read(event.currentTarget.files)} />
    </label>
  );
}
