pub fn reduce_in_place(data: &mut [i32]) -> i32 {
    if data.len() <= 1 {
        return data.first().copied().unwrap_or(0);
    }
    //@ begin
    let half = data.len().div_ceil(2);
    for i in 0..data.len() - half {
        data[i] = data[i].wrapping_add(data[i + half]);
    }
    //@ stub
    //| let half = data.len() / 2;
    //| for i in 0..half {
    //|     data[i] = data[i].wrapping_add(data[i + half]);
    //| }
    //@ end
    reduce_in_place(&mut data[..half])
}
