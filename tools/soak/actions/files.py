"""Images, LUTs, CDLs and grades: opened, saved, and written by others meanwhile."""

from __future__ import annotations

from pathlib import Path

from tools.soak.actions.edits import entries, trigger
from tools.soak.model import Document
from tools.soak.rig import Buttons, Stuck, answer, choose_files, choose_text, question, settle
from tools.soak.use import Use
from tools.soak.values import Entry, Grade, op

MOST = 5
"""Documents of a window."""
FRAMES = range(1001, 1006)
CHANGED = "changed on disk"


def image(use: Use) -> str | None:
    """Open an image, which another tab may show already, or none that can be read."""
    model = use.model
    choice = use.chance.choice(use.world.of_kind("image"))
    if use.chance.random() < 0.1 and not any(each.wants for each in model.documents):
        choice = use.chance.choice((use.path("images", "broken.exr"), use.path("images", "missing.exr")))
    if len(model.documents) >= MOST and all(each.image != choice for each in model.documents):
        return None
    use.window.files.open_image(Path(choice))
    model.open_image(choice)
    return Path(choice).name


def layer(use: Use) -> str | None:
    """Another layer of the image that is shown, or one that it does not have."""
    document = use.model.current
    if document.image is None or document.shown is None:
        return None
    name = use.chance.choice(("", "diffuse"))
    use.window.files.open_image(Path(document.image), None, name or None)
    use.model.open_image(document.image, name)
    return name or "main"


def drop(use: Use) -> str | None:
    """Several files at once: images, a grade, LUTs; what is not an image is for the last one."""
    model = use.model
    images = use.chance.sample(use.world.of_kind("image", "broken"), use.chance.randint(0, 2))
    images = [path for path in images if path.endswith(".exr")]
    grades = use.chance.sample(use.world.of_kind("grade"), min(1, len(use.world.of_kind("grade"))))
    cubes = use.chance.sample(use.world.of_kind("cube", "broken"), use.chance.randint(0, 2))
    cubes = [path for path in cubes if path.endswith(".cube")]
    if len(model.documents) + len(images) > MOST:
        return None
    paths = [*images, *grades, *cubes]
    use.chance.shuffle(paths)
    use.window.canvas.dropped.emit([Path(path) for path in paths])
    if images:
        model.open_images([path for path in paths if path in images])
    document = model.current
    model.read_all()
    if document in model.documents:
        for path in grades:
            model.open_grade(document, path)
        if cubes:
            model.add_luts(document, [path for path in paths if path in cubes])
    return ", ".join(Path(path).name for path in paths)


def add_luts(use: Use) -> str | None:
    if len(entries(use)) > 7:
        return None
    paths = [path for path in use.world.of_kind("cube", "broken") if path.endswith(".cube")]
    chosen = use.chance.sample(paths, use.chance.randint(1, 2))
    trigger(use, "add_look")
    choose_files(use.window, *chosen)
    use.model.add_luts(use.model.current, chosen)
    return ", ".join(Path(path).name for path in chosen)


def interpolate(use: Use) -> str | None:
    """Read a LUT of the grade again, with another interpolation."""
    found = [at for at, entry in enumerate(entries(use)) if entry.body[0] == "file"]
    if not found:
        return None
    at, word = use.chance.choice(found), use.chance.choice(("file", "linear", "tetrahedral"))
    use.window.panel.cards[at].box.textActivated.emit(word)
    entry = entries(use)[at]
    content = use.world.content(entry.body[1])
    if content is not None:
        use.model.current.set_entry(at, entry._replace(body=("file", entry.body[1], word, content)))
    return f"{at}: {word}"


def import_cdl(use: Use) -> str | None:
    path = use.chance.choice(use.world.of_kind("cdl"))
    bodies = use.world.disk[path].held
    trigger(use, "import_cdl")
    choose_files(use.window, path)
    at = 0
    if len(bodies) > 1:
        settle(use.windows)
        at = use.chance.randrange(len(bodies))
        choose_text(use.window, at)
    use.model.import_correction(use.model.current, bodies[at])
    return f"{Path(path).name} {at}"


def new_grade(use: Use) -> str | None:
    trigger(use, "new_grade")
    use.model.current.open_grade(Grade((Entry(op("Exposure")), Entry(op("Cdl")))), (), None)
    return ""


def open_grade(use: Use) -> str | None:
    paths = use.world.of_kind("grade")
    if not paths:
        return None
    path = use.chance.choice([*paths, use.path("luts", "broken.cube")])
    trigger(use, "open_grade")
    choose_files(use.window, path)
    use.model.open_grade(use.model.current, path)
    return Path(path).name


def grade_name(use: Use) -> str:
    return use.path("grades", f"{use.chance.choice('abcd')}.json")


def save_grade(use: Use) -> str | None:
    """Save; where another has written the file, the window asks first."""
    trigger(use, "save_grade")
    done, words = finish_saving(use, use.model.current)
    box = question(use.window)
    if done and box is not None:
        raise Stuck(f"a question that is not expected: {box.text()} {box.informativeText()}")
    return words


def save_grade_as(use: Use) -> str | None:
    trigger(use, "save_grade_as")
    path = use.chance.choice((grade_name(use), grade_name(use), ""))
    choose_files(use.window, *([path] if path else []))
    if path:
        use.model.save_grade(use.model.current, path)
    return (path and Path(path).name) or "cancelled"


def finish_saving(use: Use, document: Document) -> tuple[bool, str]:
    """Answer what follows when a document is saved: whether it is saved then, and what was answered."""
    path = document.file.path
    if path is None:
        path = use.chance.choice((grade_name(use), ""))
        choose_files(use.window, *([path] if path else []))
        if not path:
            return False, "cancelled"
    elif use.model.is_replaced(document) and not confirmed(use):
        return False, f"{Path(path).name}: cancelled, for it has changed"
    use.model.save_grade(document, path)
    settle(use.windows)
    return True, Path(path).name


def confirmed(use: Use) -> bool:
    """Answer the question whether to replace a file that has changed on disk."""
    settle(use.windows)
    agreed = use.chance.random() < 0.5
    answer(use.window, Buttons.Save if agreed else Buttons.Cancel, CHANGED)
    return agreed


def other_grade(use: Use) -> str | None:
    """Another program writes a grade."""
    path = grade_name(use)
    entries = tuple(
        Entry(op("Exposure", stops=round(use.chance.uniform(-2, 2), 2))) for _ in range(use.chance.randint(0, 2))
    )
    names = use.chance.sample(("Night", "Other"), use.chance.randint(0, 2))
    versions = tuple((name, Grade((Entry(use.cdl()),))) for name in names)
    use.write_grade(path, Grade(entries), versions)
    return Path(path).name


def rewrite_lut(use: Use) -> str | None:
    """Another program writes a LUT again, once in a while a broken one."""
    path = use.path("luts", f"{use.chance.choice(('warm', 'cold', 'film'))}.cube")
    if use.chance.random() < 0.15:
        use.write_broken(path)
    else:
        use.write_cube(path)
    return Path(path).name + (" (broken)" if use.world.disk[path].kind == "broken" else "")


def rewrite_image(use: Use) -> str | None:
    name = use.chance.choice(("ant", "bee", "cat", "dog", "shot.1002", "shot.1003"))
    use.write_image(use.path("images", f"{name}.exr"), layers=name in ("ant", "bee"))
    return name


def step(use: Use) -> str | None:
    """To another frame of the sequence."""
    document, player = use.model.current, use.window.workspace.player
    if document.image is None or "shot." not in document.image or document.shown is None or player.clip is None:
        return None
    frame = use.chance.choice(FRAMES)
    player.go(frame)
    path = use.path("images", f"shot.{frame}.exr")
    if path != document.image:
        document.image, document.wants = path, True
    return str(frame)


ACTIONS = (
    (7, image),
    (2, layer),
    (3, drop),
    (5, add_luts),
    (3, interpolate),
    (3, import_cdl),
    (2, new_grade),
    (3, open_grade),
    (5, save_grade),
    (3, save_grade_as),
    (2, other_grade),
    (5, rewrite_lut),
    (3, rewrite_image),
    (4, step),
)
